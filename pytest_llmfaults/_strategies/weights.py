"""How many public reports there are of each fault: what weighs when one is drawn.

A report on the wire itself weighs more than one on another wire. A fault without any weighs least, and is still
drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["reports"]

_COUNTS: Final[Mapping[str, Mapping[int, str]]] = {
    "openai.chat": {
        11: "content.empty",
        8: "status.429_rate status.429_retry_after_seconds",
        6: "transport.chunked_cut tools.arguments_truncated",
        5: "transport.timeout_in_body status.400_context_length status.500 structured.prose_only",
        4: "transport.timeout body.empty body.sse envelope.choices_null",
        3: """
            status.429_quota status.500_context_length body.whitespace_only content.null content.null_length
            structured.fenced tools.id_empty tools.arguments_empty
        """,
        2: """
            transport.reset_peer status.400 status.408 status.409 status.429_transient_quota
            status.429_usage_limit_reset status.429_retry_after_zero status.429_retry_after_ms status.503
            body.html_page body.truncated_json envelope.choices_absent envelope.choices_empty
            reasoning.only_reasoning reasoning.only_reasoning_null reasoning.only_in_reasoning
            finish.content_filter_content_absent finish.content_filter_message_null finish.sensitive
            finish.network_error finish.eos_token usage.absent usage.completion_null structured.truncated_length
            tools.finish_stop tools.id_null tools.name_unknown tools.arguments_bare_word control.reasoning_empty
        """,
        1: """
            transport.refused transport.tls_verify transport.reset_peer_after_headers transport.latency
            transport.reset_peer_in_body transport.closed_in_body transport.slow_drip
            status.400_context_length_prose status.400_body_size status.400_content_filter status.400_quota_text
            status.403 status.403_html status.404 status.424 status.429_credit_balance status.429_spend_limit
            status.429_retry_after_date status.429_retry_after_negative status.429_retry_after_junk
            status.429_retry_after_nan status.429_retry_after_infinite status.429_retry_after_ms_zero
            status.429_retry_after_prose status.502 status.error_string status.error_code_integer
            status.error_message_object status.error_nested_raw status.error_flat status.error_error_code
            status.error_detail status.error_gzip_lie status.error_gzip_unasked status.error_sse body.text
            body.text_as_json body.gzip_lie body.gzip_unasked body.brotli_garbage body.zstd body.done_appended
            body.sse_as_json envelope.top_null envelope.nested envelope.all_null envelope.message_null
            envelope.index_one envelope.created_float envelope.error_429 envelope.error_502 envelope.error_string
            envelope.error_flat envelope.error_beside_null_choices envelope.choice_error
            envelope.choice_error_retry_after content.empty_zero_usage content.empty_length content.placeholder
            content.refusal content.refusal_beside_text content.parts reasoning.only_reasoning_newline
            reasoning.only_thoughts reasoning.ate_budget reasoning.ate_budget_hidden reasoning.think_unclosed
            reasoning.think_close_only reasoning.think_nested reasoning.harmony_words reasoning.details_without_text
            finish.max_tokens_null finish.content_filter finish.guardrail_intervened finish.error
            finish.error_partial finish.error_native finish.abort finish.null finish.empty finish.eos
            structured.fenced_inner_fence structured.fence_empty structured.prose_around structured.think_fenced
            structured.thoughts_fenced structured.tag_after structured.split_object structured.digit_before_length
            structured.bracket_mismatch structured.key_quote_lost_at_end structured.key_quote_lost_at_start
            structured.lone_backslash structured.invalid_unicode_escape structured.trailing_comma
            structured.wrapped_in_list structured.top_string structured.top_number structured.missing_key
            structured.renamed_key structured.text_empty structured.list_tail_in_first structured.one_item_bad
            structured.items_as_text tools.calls_empty tools.function_absent tools.function_null
            tools.finish_unknown tools.function_call_with_reasoning tools.id_absent tools.one_call_bad
            tools.arguments_object tools.arguments_list tools.arguments_truncated_stop tools.arguments_doubled_brace
            tools.arguments_python tools.arguments_raw_control_characters tools.arguments_trailing_text
            tools.arguments_twice tools.arguments_null_text tools.arguments_list_text tools.arguments_string_text
            tools.arguments_huge tools.arguments_nested_encoded tools.arguments_incomplete_length
            tools.arguments_value_cut_length tools.call_in_text_json tools.call_in_text_tag
            tools.call_in_text_function tools.call_in_text_function_cut tools.call_in_text_kimi
            tools.call_in_text_kimi_cut tools.call_in_reasoning_kimi control.native_finish_reason_null
            control.error_empty_object control.leading_whitespace control.reasoning_content control.tool_calls_empty
            control.tool_calls_content_text control.data_fence_inside
        """,
    },
    "openai.responses": {
        5: "finish.length",
        3: "finish.error_partial",
        1: """
            status.404_item status.499 body.sse envelope.output_null content.null content.refusal
            content.parts_empty content.block_text_null structured.truncated_length tools.name_unknown
            stream.error_mid_500 stream.event_unnamed stream.item_start_absent stream.output_index_skipped
            stream.output_lost_at_end control.ratelimit_sentinel control.stream_done_mark
        """,
    },
    "anthropic.messages": {
        4: "status.529",
        3: "transport.stale_keep_alive content.parts_empty",
        2: """
            transport.reset_peer_in_body transport.timeout_in_body transport.chunked_cut status.400 status.413
            status.429_spend_limit status.520 finish.tool_calls_without_calls tools.call_in_text_invoke
        """,
        1: """
            transport.timeout status.400_quota_text status.401 status.402 status.403 status.403_html status.404
            status.409 status.425 status.429_rate status.429_spend_limit_retry_after status.429_retry_after_date_bad
            status.500 status.504 status.521 status.522 status.523 status.524 status.error_compressed_message
            body.gzip_lie content.empty reasoning.parts usage.absent structured.truncated_with_list_inside
            structured.integer_off_by_one structured.list_as_text tools.arguments_empty
            tools.arguments_truncated_length tools.arguments_bare_word tools.result_in_text
            control.reasoning_signature
        """,
    },
    "gemini": {
        7: "finish.malformed_call",
        3: "content.empty",
        2: "status.429_rate status.429_retry_info envelope.prompt_blocked content.parts_empty tools.unasked",
        1: """
            transport.connect_timeout transport.timeout status.429_retry_after_seconds
            status.429_retry_after_prose_ms status.500 status.503 status.error_string status.error_bare_string
            status.error_nested_text content.absent content.absent_length content.parts_strings
            reasoning.ate_budget_hidden reasoning.hidden_then_empty reasoning.prose reasoning.details_without_text
            finish.unknown_content_absent finish.unknown usage.completion_absent structured.noise_before
            structured.truncated_length tools.id_absent tools.arguments_absent
            tools.arguments_raw_control_characters
        """,
    },
    "bedrock.converse": {
        1: """
            envelope.message_absent content.empty content.parts_empty tools.arguments_truncated
            tools.arguments_bare_word tools.arguments_double_encoded
        """,
    },
    "cohere.chat": {1: "status.error_empty"},
    "openai.embeddings": {1: "envelope.data_absent envelope.data_null"},
    "others": {
        6: "structured.missing_key",
        2: "envelope.error_string content.empty finish.load structured.prose_only",
        1: """
            transport.tls_verify transport.reset_peer transport.latency transport.closed_in_body
            transport.chunked_empty transport.chunked_bad_frame status.400 status.429_retry_after_date
            status.429_retry_after_fraction status.503_loading status.502_text status.504_text
            status.error_detail status.error_latin1 body.concatenated body.json_as_text content.whitespace
            reasoning.only_in_thinking reasoning.parts reasoning.parts_interleaved finish.content_filter_partial
            finish.abort finish.object_abort usage.float structured.fenced structured.think_fenced
            structured.two_objects structured.whitespace_flood structured.wrapped_in_key structured.schema_echo
            structured.one_item_too_long tools.type_absent tools.type_null tools.finish_tool_call tools.id_absent
            tools.id_null tools.id_empty tools.arguments_truncated_length tools.arguments_double_encoded
            tools.arguments_incomplete_length
        """,
    },
}
"""Per wire: the faults by the number of their reports."""

_REPORTS: Final[Mapping[str, Mapping[str, int]]] = {
    wire: {name: count for count, names in counts.items() for name in names.split()} for wire, counts in _COUNTS.items()
}


def reports(name: str, wire: str) -> tuple[int, int]:
    """Return how many reports there are of a fault: on this wire, and on all others."""
    here = _REPORTS.get(wire, {}).get(name, 0)
    return here, sum(counts.get(name, 0) for counts in _REPORTS.values()) - here

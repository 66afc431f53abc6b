"""The pytest surface: options, markers, parametrisation, state, report."""

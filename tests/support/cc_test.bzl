"""The cc_test of this project: GoogleTest's headers come precompiled."""

load("@rules_cc//cc:defs.bzl", _cc_test = "cc_test")

def cc_test(name, deps, copts = [], **kwargs):
    """A cc_test that reads test_headers.h before its sources.

    It is no stand-in for an #include: a test names what it uses. A test with
    options of its own does without: clang takes no header compiled otherwise.

    Args:
      name: as of the rule.
      deps: as of the rule.
      copts: as of the rule.
      **kwargs: as of the rule.
    """
    if not copts:
        copts = ["-include", "$(BINDIR)/tests/support/test_headers.h"]
        deps = deps + ["//tests/support:test_headers"]
    _cc_test(name = name, copts = copts, deps = deps, **kwargs)

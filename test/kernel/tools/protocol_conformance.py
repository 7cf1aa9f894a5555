# Jupyter's own test suite for kernels, run on ours. `jupyter_kernel_test.test.ts` starts it, with JUPYTER_PATH
# pointing to a kernelspec of the built kernel.
import unittest

import jupyter_kernel_test


class MpslabTests(jupyter_kernel_test.KernelTests):
    kernel_name = "mpslab"
    language_name = "typescript"
    file_extension = ".ts"

    code_hello_world = 'console.log("hello, world")'
    code_stderr = 'console.error("oops")'

    completion_samples = [
        {"text": "parseFl", "matches": {"parseFloat"}},
        {"text": "Math.hy", "matches": {"hypot"}},
        {"text": "%lsm", "matches": {"%lsmagic"}},
    ]

    complete_code_samples = ["1", 'console.log("hello, world")', "function f(x) {\n  return x * 2;\n}\n"]
    incomplete_code_samples = ["console.log(`hello", "function f(x) {", "if (1 < 2) {\n", "[1, 2,"]
    invalid_code_samples = ["let = = 3", ")", "1 +* 2", '"hello']

    code_generate_error = 'throw new Error("boom")'

    code_execute_result = [
        {"code": "1 + 2 + 3", "result": "6"},
        {"code": "[1, 2, 3].map((x) => x * x)", "result": "[ 1, 4, 9 ]"},
        {"code": '"a" + "b"', "result": "'ab'"},
    ]

    code_display_data = [
        {"code": 'display({ "text/html": "<b>bold</b>" })', "mime": "text/html"},
        {"code": 'display({ "image/svg+xml": "<svg/>", "text/plain": "a drawing" })', "mime": "text/plain"},
    ]

    code_history_pattern = "1 +*"
    supported_history_operations = ("tail", "range", "search")

    code_inspect_sample = "parseFloat"
    code_clear_output = "clearOutput()"

    code_page_something = "parseFloat?"


class MpslabIopubWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "mpslab"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main()

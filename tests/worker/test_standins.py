"""What stands in for a notebook's and a desktop's own: tried in processes of their own, which it changes for good."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

BEGIN = "from grader.worker.standins import stand_in\nstand_in()\n"


def runs(text: str, begin: str = BEGIN, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", begin + textwrap.dedent(text)],
        env={"MPLBACKEND": "Agg", **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_only_a_notebook_has_does_nothing() -> None:
    assert (
        runs(
            """
        from google.colab import drive, files
        drive.mount('/content/drive', force_remount=True)
        for name, content in files.upload().items():
            raise AssertionError
        import google.colab.output.eval_js
        import otter
        from grader.incell import check
        otter.Notebook('hw.ipynb').check('q1')
        check('attend', course='.')
        import IPython
        from IPython import get_ipython as asked
        from IPython.display import *
        from IPython.core.magic import Magics, magics_class, register_line_magic
        clear_output(wait=True)
        display(HTML('<b>x</b>'), Image('x.png'))
        get_ipython().run_line_magic('matplotlib', 'inline')
        get_ipython().ast_node_interactivity = 'all'
        lines = get_ipython().getoutput('ls')
        assert not asked() and not lines and list(lines[0]) == []

        @magics_class
        class Mine(Magics):
            @register_line_magic
            def hello(self):
                return 'hello'

        from ipywidgets import interact, Output

        @interact(n=(1, 3))
        def show(n):
            return n

        with Output() as out:
            print(Mine().hello(), show(2), bool(out))
        """
        )
        == "hello 2 False\n"
    )


def test_a_module_that_is_nobody_s_is_still_missing() -> None:
    assert (
        runs(
            """
        for name in ('google.cloud', 'pandas_of_nobody', 'IPythonic'):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                print(error.name)
        """
        )
        == "google.cloud\npandas_of_nobody\nIPythonic\n"
    )


WINDOWS = {
    "use": "matplotlib.use('TkAgg')",
    "use, by force": "matplotlib.use('Qt5Agg', force=True)",
    "use, of a notebook": "matplotlib.use('module://matplotlib_inline.backend_inline')",
    "use, unknown": "matplotlib.use('inline')",
    "a setting": "matplotlib.rcParams['backend'] = 'TkAgg'",
    "the environment": "import os; os.environ['MPLBACKEND'] = 'TkAgg'",
    "none": "",
}
DRAWN = """
import matplotlib
{window}
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
{window}
axes.imshow([[0, 1]])
plt.show()
figure.canvas.draw()
plt.switch_backend('TkAgg')
print(type(plt.figure().canvas).__name__, plt.get_backend().lower())
"""


@pytest.mark.parametrize(
    ("window", "first"),
    [
        *((window, "") for window in WINDOWS),
        ("use", "import matplotlib\n"),
        ("use", "import matplotlib.pyplot\n"),
    ],
)
def test_no_window_is_ever_asked_for(window: str, first: str) -> None:
    assert runs(DRAWN.format(window=WINDOWS[window]), begin=first + BEGIN) == "FigureCanvasAgg agg\n"


def test_without_standing_in_a_window_is_an_error() -> None:
    with pytest.raises(AssertionError, match="TkAgg"):
        runs(DRAWN.format(window=WINDOWS["use, by force"].replace("Qt5Agg", "TkAgg")), begin="")


def test_what_torch_would_compile_runs_as_it_is() -> None:
    assert (
        runs(
            """
        import sys, torch
        from torch import nn

        def f(x): return x + 1

        assert torch.compile(f) is torch.jit.script(f) is f

        @torch.compile(mode='max-autotune', fullgraph=True)
        def g(x): return f(x)

        @torch.jit.script
        class Pair: pass

        model = torch.compile(nn.Linear(2, 2))
        model.compile()
        model(torch.ones(2))
        assert type(model) is nn.Linear and g(1) == 2
        assert 'torch._dynamo' not in sys.modules
        print('plain')
        """
        )
        == "plain\n"
    )

"""A real browser without a window, as judge of what it shows."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import check, run

NAMES = ("chromium", "chromium-browser", "google-chrome")


def command():
    """The browser's path; None, and said so, if there is none."""
    for name in NAMES:
        if shutil.which(name):
            return shutil.which(name)
    print("        chromium is not installed: not asked")
    return None


def browse(directory, *options):
    result = run([command(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                  "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                  "--allow-file-access-from-files", "--virtual-time-budget=10000",
                  f"--user-data-dir={directory}/browser", *options],
                 environment={"HOME": directory}, timeout=180)
    check(result.status == 0, f"the browser: {result.ending}: {result.errors[-2000:]}")
    return result.output


def document(url, directory, size="1200,3000", ready=""):
    """What the page has become, as text, when its scripts have run.  A page that draws itself bit
    by bit is asked again until it holds `ready`."""
    for _ in range(8):
        page = browse(directory, f"--window-size={size}", "--dump-dom", url)
        if ready in page:
            break
    return page


def picture(url, directory, target, size="1200,800"):
    """A PNG of the page, for people to look at when a test has failed."""
    browse(directory, f"--window-size={size}", f"--screenshot={target}", url)

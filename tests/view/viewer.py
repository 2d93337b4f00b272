"""What the tests of the viewer share: a running `ascribe view`, and requests to it."""

import http.client
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness
from harness import ASCRIBE, check, must, run

WEB = harness.SOURCE / "web"


# Two sites, any of three functions: 10 and 100 calls, and the functions' own counts.
COLOURS = """
static int sum;
static void red(void) { sum += 1; }
static void green(void) { sum += 2; }
static void blue(void) { sum += 3; }
static void (*table[3])(void) = {red, green, blue};
static void few(int i) {
  table[i % 3]();
}
static void many(int i) {
  table[i % 7 % 3]();
}
int main(void) {
  for (int i = 0; i < 10; i++)
    few(i);
  for (int i = 0; i < 100; i++)
    many(i);
  return sum == 0;
}
"""


def calls_left_open(directory):
    """A profile with calls that its counts leave open."""
    (directory / "colours.c").write_text(COLOURS)
    must(["gcc", "-g", "-O0", "--coverage", "colours.c", "-o", "colours"], directory=directory)
    must([directory / "colours"], directory=directory)
    must(["gcov", "-b", "--json-format", next(directory.glob("*.gcda")).name], directory=directory)
    profile = directory / "colours.ascribe"
    for old in (profile, directory / "colours.ascribe.dial"):
        old.unlink(missing_ok=True)
    must([ASCRIBE, "import", "--quiet", "--executable", directory / "colours", "-o", profile,
          next(directory.glob("*.json.gz"))])
    return profile


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        check(self.status == 200, f"status {self.status}: {self.text[:300]}")
        return json.loads(self.body)


class Viewer:
    """with Viewer(profile, ...) as viewer: ends as by Ctrl-C. `shown`: what each question says is to be shown."""

    def __init__(self, *profiles):
        self.shown = {}
        self.process = subprocess.Popen([ASCRIBE, "view", "--no-browser", *map(str, profiles)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        check(self.address.startswith("http://127.0.0.1:"),
              self.address or self.process.stderr.read())
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.path = parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        check(status == 0, f"ascribe view ended with {status}")

    def request(self, path, method="GET", headers=None):
        """As it stands: no library makes the path harmless."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=bool(headers and "Host" in headers))
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders()
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, name, **parameters):
        return self.request(f"{self.path}{name}?{urllib.parse.urlencode(self.shown | parameters)}")

    def show(self, **shown):
        """The status of a question of this: from now on all questions are, unless it is refused."""
        before, self.shown = self.shown, shown
        status = self.get("api/info").status
        if status != 200:
            self.shown = before
        return status

    def rows(self, kind, **parameters):
        """Rows as dictionaries, and their number."""
        answer = self.get("api/table", kind=kind, **parameters).json
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]], answer["count"]


def node_packages(directory):
    """The folder of node_modules that web/package-lock.json names. Skips the test if there is none
    and it cannot be fetched."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            harness.skip(f"the viewer was not tested: {program} is not installed (scripts/install-packages test)")
    if (WEB / "node_modules" / "esbuild").exists():
        return WEB
    place = directory / "web"
    shutil.copytree(WEB, place, dirs_exist_ok=True)
    result = run(["timeout", "300", "npm", "ci", "--no-audit", "--no-fund", "--fetch-retries=1"],
                 place, timeout=400)
    if result.status != 0:
        harness.skip(f"the viewer was not tested: npm cannot fetch packages: {result.errors.strip()[-200:]}")
    return place

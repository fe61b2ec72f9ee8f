"""What a page takes until it is painted and live: requests, bytes on the wire, the first paint, what moved about meanwhile.

Of the polls that follow the page only the first counts, with no bytes: what they bring is what has changed since.
"""

import dataclasses

WATCH = """
    window.shifts = 0;
    window.moved = [];
    const place = ({ top, bottom }) => `${Math.round(top)}–${Math.round(bottom)}`;
    new PerformanceObserver((list) => {
        for (const shift of list.getEntries().filter((shift) => !shift.hadRecentInput)) {
            window.shifts += shift.value;
            for (const { node, previousRect, currentRect } of shift.sources)
                window.moved.push(`${node?.outerHTML?.slice(0, 160).replace(/\\s+/g, " ")}: ${place(previousRect)} to ${place(currentRect)}`);
        }
    }).observe({ type: "layout-shift", buffered: true });
"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclasses.dataclass
class Load:
    """What was asked of the server while a page was loaded; what came out of the browser's cache is not counted."""

    requests: list
    bytes: dict
    painted: float
    shifts: float
    # What moved about, from where to where, in pixels from the top.
    moved: list

    @property
    def total(self):
        return sum(self.bytes.values())

    def of(self, *kinds):
        """The bytes of these kinds of files, such as `.js`."""
        return sum(size for path, size in self.bytes.items() if path.endswith(kinds))


class Loads:
    """Loads pages in one browser context, whose cache it keeps from page to page."""

    def __init__(self, context):
        context.add_init_script(WATCH)
        self.page = context.new_page()
        self._session = context.new_cdp_session(self.page)
        self._session.send("Network.enable")
        self._session.on("Network.requestWillBeSent", self._asked)
        self._session.on("Network.requestServedFromCache", lambda event: self._asked_for.pop(event["requestId"], None))
        self._session.on("Network.responseReceived", self._answered)
        self._session.on("Network.loadingFinished", self._finished)
        self._begin()

    def _begin(self):
        self._asked_for, self._kept, self._sizes = {}, set(), {}

    def _asked(self, event):
        if event["request"]["url"].startswith("http"):
            self._asked_for[event["requestId"]] = event["request"]["url"].split("?")[0]

    def _answered(self, event):
        if event["response"].get("fromDiskCache") or event["response"].get("fromPrefetchCache"):
            self._kept.add(event["requestId"])

    def _finished(self, event):
        self._sizes[event["requestId"]] = event["encodedDataLength"]

    def load(self, url, act=None):
        """Goes to a page, or does what leads there, and waits until it is live, painted, and has all that it asked for."""
        self._begin()
        act() if act else self.page.goto(url)
        self.page.wait_for_function("document.documentElement.dataset.live !== undefined")
        self.page.wait_for_function(PAINTED)
        self.page.wait_for_load_state("load")
        self.page.evaluate(SETTLED)
        while any(each not in self._sizes and "/live/1/" not in url for each, url in self._real().items()):
            self.page.evaluate(SETTLED)
        real = {url: self._sizes.get(each, 0) for each, url in self._real().items()}
        files = {url: size for url, size in real.items() if "/live/1/" not in url}
        return Load(
            requests=[*files, *[url for url in real if url not in files][:1]], bytes=files,
            painted=self.page.evaluate(PAINTED), shifts=self.page.evaluate("window.shifts"),
            moved=self.page.evaluate("window.moved"),
        )

    def _real(self):
        return {each: url for each, url in self._asked_for.items() if each not in self._kept}

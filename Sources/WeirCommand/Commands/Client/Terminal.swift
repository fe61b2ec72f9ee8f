import Foundation

/// What standard output is.
enum Terminal {
    /// How many columns it has; nil where it is no terminal, or one that cannot redraw a line.
    static var columns: Int? {
        guard isatty(1) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }  // Never traps: a constant.
        return Int(size.ws_col)
    }
}

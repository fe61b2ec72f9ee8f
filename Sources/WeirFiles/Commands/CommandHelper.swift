package import Foundation

/// The program `weir-exec`, through which every command is run: where it is.
package struct CommandHelper: Sendable, Hashable {
    /// What it is called.
    package static let name = "weir-exec"

    package let path: String

    /// Takes a program at a place that is known.
    package init(path: String) { self.path = path }

    /// Looks for the program in folders, in their order.
    ///
    /// - Parameter folders: Where to look; by default beside the program that runs, in `../libexec`, and, for tests, beside
    ///   the bundle that they are in.
    /// - Throws: ``NotFound`` when it is in none of them.
    package init(in folders: [URL] = Self.folders) throws(NotFound) {
        for folder in folders {
            let path = folder.appending(path: Self.name).path
            if FileManager.default.isExecutableFile(atPath: path) {
                self.path = path
                return
            }
        }
        throw NotFound()
    }

    /// The places where it is installed, links followed.
    package static var folders: [URL] {
        let programs = [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(), Bundle.main.executableURL].compactMap
        {
            $0?.resolvingSymlinksInPath()
        }
        let beside = programs.map { $0.deletingLastPathComponent() }
        let tests = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        return beside + beside.map { $0.deletingLastPathComponent().appending(path: "libexec") }
            + tests.map { $0.deletingLastPathComponent() }
    }

    /// The program is not where it belongs.
    package struct NotFound: Error, Sendable, CustomStringConvertible {
        package let description =
            "The program weir-exec is missing, through which commands are run. It belongs beside the weir program: "
            + "copy both from the same build."

        package init() {}
    }
}

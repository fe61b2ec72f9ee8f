import Foundation
import WeirBoards
import WeirFlows
import WeirOperations
import WeirStandard

struct StandardCatalog: Sendable {
    static let ids = ["host-vitals", "file-upload", "iss-position", "greeting", "http-request", "people-in-space"]
    /// The ids of the operations that run only while they are watched.
    static let watchedIDs: Set = ["host-vitals", "iss-position"]

    static let fields: [String: [InputField]] = [
        "host-vitals": NoInput.fields, "file-upload": FileUploadInput.fields, "iss-position": NoInput.fields,
        "greeting": GreetingInput.fields, "http-request": HTTPRequestInput.fields, "people-in-space": NoInput.fields,
    ]

    private let settings: Settings
    private let folder: URL
    private let port: ReadOnlyStateFlow<Int?>
    private let upload: FileUpload
    let environment: OperationEnvironment

    /// Creates the operations; the greeting calls `port` by default, which is nil until the server listens.
    init(settings: Settings, folder: URL, port: ReadOnlyStateFlow<Int?>) {
        self.settings = settings
        self.folder = folder
        self.port = port
        environment = OperationEnvironment(
            outgoing: OutgoingPolicy(allowing: settings.allowances) { port.value })
        let archive = settings.text("upload.destination") ?? folder.appending(path: "archive").path
        upload = FileUpload(
            .init(
                spool: folder.appending(path: "spool").path,
                destinations: [LocalDirectoryDestination(name: "archive", directory: archive)]))
    }

    /// Removes partial files of uploads of a previous process.
    func removeLeftovers() async throws {
        try await upload.removeLeftovers(
            keepingOriginalsFor: Double(settings.integer("upload.keep-days") ?? 3) * 86_400)
    }

    /// The operations that the server has, which are none with `examples: no`.
    var served: Catalog { settings.text("examples") == "no" ? Catalog() : catalog() }

    private func catalog() -> Catalog {
        var catalog = Catalog()
        catalog.add(
            HostVitals(.init(reader: SystemHostReader(folder: folder.path))), id: "host-vitals", title: "Host vitals",
            summary:
                "This machine's processor, memory, load, disk and network, each second while a page shows it.",
            reentry: .joinExisting, lifetime: .whileWatched())
        catalog.add(
            upload, id: "file-upload", title: "Upload a file",
            summary: "Compresses a file and stores it completely, or not at all.")
        catalog.add(
            ISSPosition(
                .init(
                    url: settings.text("iss-position.url") ?? "",
                    interval: settings.duration("iss-position.interval") ?? .seconds(5)), environment: environment),
            id: "iss-position", title: "ISS position",
            summary: "The position of the International Space Station, every few seconds while a page shows it.",
            reentry: .joinExisting, lifetime: .whileWatched())
        catalog.add(
            Greeting(
                .init(isOwn: settings.text("greeting.url") == nil, url: greetingURL), environment: environment),
            id: "greeting", title: "Greeting",
            summary: "Requests a greeting from a service.")
        catalog.add(
            HTTPRequestOperation(environment: environment), id: "http-request", title: "HTTP request",
            summary: "Sends a request, with retries, and shows the result.")
        catalog.add(
            PeopleInSpace(.init(url: settings.text("people-in-space.url") ?? ""), environment: environment),
            id: "people-in-space", title: "People in space", summary: "Who is in space, and aboard what.")
        return catalog
    }

    private var greetingURL: @Sendable () -> String? {
        let (given, port, host) = (settings.text("greeting.url"), port, settings.text("host") ?? "127.0.0.1")
        let scheme = settings.text("tls.cert") == nil ? "http" : "https"
        return {
            if let given { return given }
            let reachable = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
            return port.value.map {
                "\(scheme)://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\($0)/hello"
            }
        }
    }
}

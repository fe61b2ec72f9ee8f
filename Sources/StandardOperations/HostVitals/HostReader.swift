/// Reads what a machine says of itself.
public protocol HostReader: Sendable {
    /// What it says now. Short and blocking; what cannot be read is left out.
    func read() -> HostReading
}

extension HostReader where Self == SystemHostReader {
    /// This machine, and the volume that holds the folder.
    public static func system(folder: String) -> SystemHostReader { SystemHostReader(folder: folder) }
}

/// Stands in for the server's catalog, of which settings need the names alone.
enum StandardCatalog {
    static let ids = ["host-vitals", "file-upload", "iss-position", "greeting", "http-request", "people-in-space"]
    static let watchedIDs: Set = ["host-vitals", "iss-position"]
}

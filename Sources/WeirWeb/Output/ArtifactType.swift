/// How a kept file is sent and shown, by the extension of its name.
///
/// Everything that a browser could run is sent with a policy that forbids it, because programs make files of untrusted input.
struct ArtifactType {
    enum Preview {
        /// Text, if the contents are text.
        case text
        case table
        case image
        /// A document for a viewer of the browser.
        case document
    }

    let mediaType: String
    let preview: Preview
    let separator: Character?

    /// Nothing is loaded, run or embedded.
    static let closed = "default-src 'none'; frame-ancestors 'none'; sandbox"
    /// As ``closed``, with styles and pictures that the document contains.
    private static let styled =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'; sandbox"
    /// A browser's viewer of PDF does not work in a sandbox; it runs scripts of a file without access to this site.
    private static let viewed =
        "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'"

    private static let images = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "svg": "image/svg+xml",
    ]
    private static let others = [
        "txt": "text/plain; charset=utf-8", "log": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
        "csv": "text/csv; charset=utf-8", "tsv": "text/tab-separated-values; charset=utf-8", "json": "application/json",
        "xml": "application/xml", "zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip",
    ]

    init(_ filename: String) {
        let suffix = filename.split(separator: ".").count > 1 ? filename.split(separator: ".").last : nil
        let name = suffix?.lowercased() ?? ""
        separator = name == "csv" ? "," : name == "tsv" ? "\t" : nil
        if let image = Self.images[name] {
            (mediaType, preview) = (image, .image)
        } else if name == "pdf" {
            (mediaType, preview) = ("application/pdf", .document)
        } else if name == "html" || name == "htm" {
            (mediaType, preview) = ("text/html; charset=utf-8", .document)
        } else {
            mediaType = Self.others[name] ?? "application/octet-stream"
            preview = separator == nil ? .text : .table
        }
    }

    /// The type and policy for display by the browser, or nil if the file is only downloaded.
    var inert: (mediaType: String, policy: String)? {
        switch preview {
        case .image, .document: (mediaType, mediaType == "application/pdf" ? Self.viewed : Self.styled)
        case .text, .table: nil
        }
    }
}

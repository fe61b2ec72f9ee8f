extension FileUploadState {
    /// One state of every case at least, with and without what may be missing.
    package static var samples: [Self] {
        let (name, place) = ("backup-2026-11-20.tar", "archive")
        return [
            .none,
            .receiving(filename: name, bytes: 134_217_728, total: 432_013_312),
            .receiving(filename: name, bytes: 134_217_728, total: nil),
            .compressing(filename: name, bytes: 268_435_456, total: 432_013_312, compressedBytes: 160_432_128),
            .openingSession(filename: name, destination: place, size: 267_386_880),
            .uploading(
                filename: name, destination: place, bytes: 165_675_008, total: 267_386_880, part: 632, parts: 1_020),
            .closingSession(filename: name, destination: place, size: 267_386_880),
            .success(
                filename: name, destination: place, location: "archive/backup-2026-11-20.tar.gz",
                originalSize: 432_013_312, storedSize: 267_386_880,
                sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", parts: 1_020,
                milliseconds: 12_804),
            failed(FileUploadError(failure: .diskFull, step: .uploading, canRetry: true)),
            failed(FileUploadError(failure: .gone, step: .receiving, canRetry: false)),
            .cancelled(during: .compressing), .cancelled(during: nil),
        ]
    }
}

public import Operations

/// What an upload is started with: the file, and where it is to go.
public struct FileUploadInput: OperationInput {
    /// The file; its bytes come with the request that starts the run, and only with that.
    public let file: FileInput
    /// The name of the destination; without one, the first.
    public let destination: String?

    /// The file alone; ``FileUpload/inputFields`` adds the destinations that there are.
    public static var fields: [InputField] { [InputField("file", "File", .file, required: true)] }

    /// Makes the input.
    public init(file: FileInput, destination: String? = nil) {
        self.file = file
        self.destination = destination
    }
}

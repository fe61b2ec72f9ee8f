package import WeirOperations

/// The input of an upload: the file, and its destination.
package struct FileUploadInput: OperationInput {
    /// The file; its bytes come with the request that starts the run, and only with that.
    package let file: FileInput
    /// The name of the destination; without one, the first.
    package let destination: String?

    /// Only the file; ``FileUpload/inputFields`` adds the destinations.
    package static var fields: [InputField] { [InputField("file", "File", .file, required: true)] }

    /// Creates the input.
    package init(file: FileInput, destination: String? = nil) {
        self.file = file
        self.destination = destination
    }
}

/// Why one value does not fit its field.
struct InputRejection: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}

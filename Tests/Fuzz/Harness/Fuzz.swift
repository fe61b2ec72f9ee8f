import Foundation

/// Where libFuzzer comes in: `fuzz PARSER [libFuzzer's own arguments]`.
enum Fuzz {
    /// The environment variable by which processes that libFuzzer starts itself, such as for `-merge=1`, know the parser.
    private static let variable = "WEIR_FUZZ_PARSER"

    nonisolated(unsafe) private static var parser: FuzzedParser?

    /// Takes the parser's name out of the arguments; ends the process when there is no such parser.
    static func choose(_ arguments: inout [String]) {
        if arguments.count > 1, let named = FuzzedParser.named(arguments[1]) {
            parser = named
            setenv(variable, named.name, 1)
            arguments.remove(at: 1)
        } else if let name = ProcessInfo.processInfo.environment[variable] {
            parser = FuzzedParser.named(name)
        }
        if parser == nil {
            // One line each: `script/fuzz` reads them.
            for parser in FuzzedParser.all { print(parser.name, parser.maximumLength) }
            exit(arguments.count > 1 ? 64 : 0)
        }
    }

    /// Gives an input to the parser that was chosen.
    static func take(_ bytes: UnsafeRawBufferPointer) { parser?.check(FuzzInput(bytes)) }
}

/// Called once, before any input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    var words = (0..<Int(count.pointee)).compactMap { arguments.pointee[$0].map { String(cString: $0) } }
    let before = words.count
    Fuzz.choose(&words)
    if words.count < before {
        for place in 1..<words.count { arguments.pointee[place] = arguments.pointee[place + 1] }
        arguments.pointee[words.count] = nil
        count.pointee = CInt(words.count)
    }
    return 0
}

/// Called with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.take(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

/// Where the process begins: the package manager renames an executable's `main` after its module, also where, as here,
/// it is libFuzzer that brings one.
@_cdecl("fuzz_main")
public func fuzzMain(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    // libFuzzer leaves alone the signals somebody else handles, as Swift does to print a backtrace; but then no input is kept.
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments, testOneInput)
}

/// libFuzzer as a library (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Ends the process with a sentence unless a condition holds, so that libFuzzer keeps the input.
func expect(
    _ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, line: Int = #line,
    file: StaticString = #fileID
) {
    if holds() { return }
    FileHandle.standardError.write(Data("✕ \(file):\(line): \(sentence())\n".utf8))
    abort()
}

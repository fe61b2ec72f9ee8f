import Crypto
import Foundation
import WeirStates

/// Takes the parts that a reader has found.
protocol BackupSink {
    mutating func begin(_ name: BackupName) throws
    mutating func take(_ bytes: [UInt8]) throws
    mutating func end() throws
}

/// Discards the parts, to check a backup.
struct DiscardingSink: BackupSink {
    func begin(_ name: BackupName) {}
    func take(_ bytes: [UInt8]) {}
    func end() {}
}

/// Reads a backup, and checks every byte of it on the way.
///
/// The parts can only be used once ``read(into:)`` has returned: the manifest with their hashes is at the end.
struct BackupReader {
    private let path: String
    private let key: BackupKey?

    static let damaged = StartError.malformed(
        "The backup is damaged: it was cut off or changed. Use another one; nothing was written.")

    /// Opens nothing yet; a key is required if, and only if, the backup is encrypted.
    init(path: String, key: BackupKey?) { (self.path, self.key) = (path, key) }

    /// Checks a backup without writing anything, and returns its manifest.
    func check() throws -> BackupManifest {
        var sink = DiscardingSink()
        return try read(into: &sink)
    }

    /// Passes the parts to a sink, and returns the manifest; throws `StartError`, and the errors of the sink.
    func read(into sink: inout some BackupSink) throws -> BackupManifest {
        let handle: FileHandle
        do {
            handle = try RegularFile.open(path)
        } catch {
            throw StartError.missing("\(path) cannot be read. Name the file of a backup.")
        }
        let source = try BackupPieces(handle, key: key)
        var entries = TarEntries()
        do {
            let coder = try GzipCoder(.decompress)
            while let piece = try source.next() {
                guard !coder.isFinished, try coder.take(piece, emit: { try entries.take($0, &sink) }) == 0 else {
                    throw Self.damaged
                }
            }
            guard coder.isFinished else { throw Self.damaged }
            return try entries.finish()
        } catch is GzipCoder.Damaged {
            throw Self.damaged
        } catch is SealedPieces.Damaged {
            throw Self.damaged
        }
    }
}

/// The compressed bytes of a backup, decrypted if necessary.
private final class BackupPieces {
    private let handle: FileHandle
    private var sealing: SealedPieces?
    /// The next piece, read ahead to recognize the last one; empty at the end of the file.
    private var ahead: [UInt8]
    private var isDone = false

    init(_ handle: FileHandle, key: BackupKey?) throws {
        self.handle = handle
        ahead = try Self.read(handle, SealedPieces.headerBytes)
        if ahead.starts(with: SealedPieces.title) {
            guard let key else {
                throw StartError.misconfigured("The backup is encrypted. Name the file with its key: --key-file FILE")
            }
            guard ahead.count == SealedPieces.headerBytes else { throw BackupReader.damaged }
            sealing = try SealedPieces(opening: ahead, key)
            ahead = try Self.read(handle, SealedPieces.sealedBytes)
        } else {
            guard ahead.starts(with: GzipCoder.header) else {
                throw ahead.starts(with: GzipCoder.header.prefix(3))
                    ? BackupReader.damaged : StartError.malformed("The file is not a backup of Weir.")
            }
            // A forged backup could otherwise take the place of an encrypted one.
            guard key == nil else {
                throw StartError.misconfigured(
                    "The backup is not encrypted, but a key was given. If that is as you made it, leave out the key.")
            }
        }
    }

    /// Returns the next piece, or nil after the last one.
    func next() throws -> [UInt8]? {
        guard !isDone else { return nil }
        let piece = ahead
        ahead = try Self.read(handle, sealing == nil ? SealedPieces.pieceBytes : SealedPieces.sealedBytes)
        isDone = ahead.isEmpty
        guard sealing != nil else { return piece }
        return try sealing?.open(piece, isLast: isDone)
    }

    private static func read(_ handle: FileHandle, _ count: Int) throws -> [UInt8] {
        do {
            return Array(try handle.read(upToCount: count) ?? Data())
        } catch {
            throw StartError.unavailable("The backup cannot be read. Check the disk.")
        }
    }
}

/// The entries of a tar archive, of which only those of a backup are accepted.
private struct TarEntries {
    private enum State { case header, longName, content, manifest, ended }

    /// More parts than this are a mistake or an attack.
    private static let most = 5_000_000

    private var state = State.header
    /// The bytes that are not yet a whole block, name or manifest.
    private var buffer: [UInt8] = []
    private var longName: String?
    private var left: Int64 = 0
    private var padding = 0
    private var current: (name: BackupName, size: Int64, hash: SHA256)?
    private var parts: [BackupManifest.Part] = []
    private var names: Set<String> = []
    private var manifest: [UInt8]?
    private var zeroBlocks = 0

    mutating func take(_ bytes: [UInt8], _ sink: inout some BackupSink) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            if left > 0 {
                let piece = Array(rest.prefix(Int(clamping: left)))
                rest = rest.dropFirst(piece.count)
                left -= Int64(piece.count)
                try takeContent(piece, &sink)
            } else if padding > 0 {
                let zeros = rest.prefix(padding)
                guard zeros.allSatisfy({ $0 == 0 }) else { throw BackupReader.damaged }
                rest = rest.dropFirst(zeros.count)
                padding -= zeros.count
            } else {
                let piece = rest.prefix(max(0, TarHeader.blockBytes - buffer.count))
                rest = rest.dropFirst(piece.count)
                buffer += piece
                guard buffer.count == TarHeader.blockBytes else { continue }
                let block = buffer
                buffer = []
                try takeHeader(block, &sink)
            }
        }
    }

    private mutating func takeHeader(_ block: [UInt8], _ sink: inout some BackupSink) throws {
        if manifest != nil {
            guard block.allSatisfy({ $0 == 0 }), zeroBlocks < 2 else { throw BackupReader.damaged }
            zeroBlocks += 1
            return
        }
        guard let header = TarHeader(block, longName: longName) else { throw BackupReader.damaged }
        left = header.size
        padding = TarHeader.padding(after: header.size).count
        if header.isLongName {
            guard longName == nil, header.name == TarHeader.longName,
                (102...Int64(TarHeader.longestName)).contains(left)
            else { throw BackupReader.damaged }
            state = .longName
            return
        }
        longName = nil
        if header.name == BackupManifest.name {
            guard (1...Int64(BackupManifest.largest)).contains(left) else { throw BackupReader.damaged }
            state = .manifest
            return
        }
        guard let name = BackupName(header.name) else {
            throw StartError.malformed(
                "The backup has a part that a data folder does not have: \(Quoted(header.name)). It was not made by Weir; "
                    + "nothing was written.")
        }
        guard names.insert(name.text).inserted, names.count <= Self.most else { throw BackupReader.damaged }
        state = .content
        current = (name, header.size, SHA256())
        try sink.begin(name)
        if left == 0 { try endPart(&sink) }
    }

    private mutating func takeContent(_ bytes: [UInt8], _ sink: inout some BackupSink) throws {
        switch state {
        case .content:
            current?.hash.update(data: bytes)
            try sink.take(bytes)
            if left == 0 { try endPart(&sink) }
        case .longName:
            buffer += bytes
            guard left == 0 else { return }
            guard buffer.popLast() == 0, let name = String(validating: buffer, as: UTF8.self) else {
                throw BackupReader.damaged
            }
            longName = name
            buffer = []
            state = .header
        case .manifest:
            buffer += bytes
            guard left == 0 else { return }
            manifest = buffer
            buffer = []
            state = .ended
        case .header, .ended: throw BackupReader.damaged
        }
    }

    private mutating func endPart(_ sink: inout some BackupSink) throws {
        guard let part = current else { return }
        parts.append(
            .init(name: part.name.text, bytes: part.size, sha256: Hex(part.hash.finalize()).text))
        current = nil
        state = .header
        try sink.end()
    }

    /// Compares the parts with the manifest at the end of the archive.
    func finish() throws -> BackupManifest {
        guard let manifest, zeroBlocks == 2, buffer.isEmpty else { throw BackupReader.damaged }
        let contents = try BackupManifest(json: manifest)
        guard contents.parts == parts else { throw BackupReader.damaged }
        return contents
    }
}

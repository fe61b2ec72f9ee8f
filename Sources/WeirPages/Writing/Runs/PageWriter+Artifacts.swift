import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The files that a run keeps, or nil if it keeps none.
    func artifacts(_ record: RunRecord) -> Fields? {
        let artifacts = record.artifacts
        guard !artifacts.isEmpty else { return nil }
        return [
            "rows": artifacts.map { artifact -> Fields in
                let url = url(of: artifact, record)
                return [
                    "name": artifact.name, "size": format.bytes(Double(artifact.bytes)), "url": url,
                    "pageURL": url + "?show=page",
                ]
            }
        ]
    }

    func artifactPage(_ page: PageArtifact) -> Fields {
        let url = url(of: page.artifact, page.run)
        var (text, table, isCut): (String?, Fields?, Bool) = (nil, nil, false)
        var (imageURL, documentURL, isBinary): (String?, String?, Bool) = (nil, nil, false)
        switch page.body {
        case .text(let words, let isShort): (text, isCut) = (words, isShort)
        case .table(let rows, let isShort):
            let cells = rows.map { row in row.map { ["text": $0] as Fields } }
            table = ["head": cells.first ?? [], "rows": cells.dropFirst().map { ["cells": $0] as Fields }]
            isCut = isShort
        case .image: imageURL = url + "?show=inline"
        case .document: documentURL = url + "?show=inline"
        case .binary: isBinary = true
        }
        return [
            "name": page.artifact.name, "filename": page.artifact.filename,
            "size": format.bytes(Double(page.artifact.bytes)), "url": url,
            "run": link(toRun: page.run.id), "operation": operation(page.run.operation), "text": text, "table": table,
            "isCut": isCut, "imageURL": imageURL, "documentURL": documentURL, "isBinary": isBinary,
            "isFramed": !permissions.isLink,
        ]
    }

    private func url(of artifact: Artifact, _ record: RunRecord) -> String {
        "\(base)/runs/\(record.id)/artifacts/" + PercentEncoding.encode(artifact.name, keeping: "/")
    }
}

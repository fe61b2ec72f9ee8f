import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirStates

/// The file that an effect offers.
struct StoreEffects {
    let dashboard: AudienceDashboard

    func show(_ place: Route.EffectPlace, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: StoreView
        do {
            view = try await dashboard.board.store(place.store, at: place.sequence)
        } catch {
            throw Problem(error)
        }
        let effects = view.log.first { $0.sequence == place.sequence }?.step.effects ?? []
        guard effects.indices.contains(place.index),
            case .download(let filename, let mediaType, let text) = effects[place.index].kind
        else { throw .notFound(.noStoreFile) }
        let isPlain = mediaType.utf8.allSatisfy { (0x20...0x7e).contains($0) } && ContentType(mediaType) != nil
        return .text(
            text, type: isPlain ? mediaType : "application/octet-stream", caching: "private, max-age=60",
            headers: [.contentDisposition: "attachment; filename*=UTF-8''" + PercentEncoding.encode(filename)])
    }
}

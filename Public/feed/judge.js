// The meaning of a held poll's answer for a reader at a cursor. Wire protocol 1:
//   batch  {"v":1,"k":"batch","e":E,"from":A,"to":B,"more":false,"ev":[[sequence,stream,revision,operations]…],"next":…,"now":…}
//   empty, drain   the same with from = to and no "ev"; "retry":[lowest, highest] milliseconds to wait first;
//                  "notice": the page's notice, until an answer without one
//                  "unfinished": the lines of an output that have not ended
//                  "viewers": the page's other viewers, until another value arrives
//   end    {"v":1,"k":"end","e":E,"from":B,"to":B}
//   reset  {"v":1,"k":"reset","why":"gap"|"epoch"|"future"|"audience"|"catalog","e":E,"lost":[first,last],"count":12,"snap":…}
//   snap   {"v":1,"k":"snap","e":E,"at":B,"html":"<main…","next":…,"now":…}

/** @typedef {{e: string, n: number}} Cursor */
/** @typedef {[string, string, any?, number?]} Operation the third is markup, a text, or attributes by name */
/** @typedef {[number, string, number, Operation[]]} Change */
/**
 * @typedef {{v: 1, k: "batch"|"empty"|"drain"|"end"|"reset"|"snap", e: string, from?: number, to?: number, at?: number,
 *   more?: boolean, ev?: Change[], next?: string, now?: string, snap?: string, html?: string,
 *   why?: "gap"|"epoch"|"future"|"audience"|"catalog", lost?: [number, number], count?: number, retry?: [number, number],
 *   notice?: string, viewers?: string, unfinished?: string}} Answer
 */
/** @typedef {"apply"|"level"|"drop"|"catchUp"|"snapshot"|"show"|"end"|"malformed"} Meaning */

const count = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** @param {any} answer */
function isChanges(answer) {
  let last = answer.from;
  return Array.isArray(answer.ev) && answer.ev.every((/** @type {any} */ change) => {
    const rising = Array.isArray(change) && count(change[0]) && change[0] > last && Array.isArray(change[3]);
    if (rising) last = change[0];
    return rising;
  }) && last <= answer.to;
}

/**
 * Returns whether a parsed value is a complete and ordered answer of protocol 1.
 * @param {any} answer
 * @returns {answer is Answer}
 */
export function isAnswer(answer) {
  if (answer === null || typeof answer !== "object" || answer.v !== 1 || typeof answer.e !== "string") return false;
  switch (answer.k) {
    case "reset": return true;
    case "snap": return count(answer.at) && typeof answer.html === "string";
    case "batch": return count(answer.from) && count(answer.to) && answer.from < answer.to && isChanges(answer);
    case "empty": case "drain": case "end": return count(answer.from) && answer.from === answer.to;
    default: return false;
  }
}

/**
 * Judges an answer against the cursor: the required action, and the changes that are new. No change is skipped or applied
 * twice, regardless of the order in which answers arrive.
 * @param {Cursor} cursor
 * @param {unknown} answer
 * @returns {{meaning: Meaning, changes: Change[]}}
 */
export function judge(cursor, answer) {
  const as = (/** @type {Meaning} */ meaning, /** @type {Change[]} */ changes = []) => ({ meaning, changes });
  if (!isAnswer(answer)) return as("malformed");
  if (answer.k === "snap") return as("show");
  if (answer.k === "reset" || answer.e !== cursor.e) return as("snapshot");
  const from = Number(answer.from), to = Number(answer.to);
  if (from > cursor.n) return as("catchUp");
  if (to < cursor.n) return as("drop");
  if (answer.k === "end") return as("end");
  if (to === cursor.n) return as("level");
  return as("apply", (answer.ev ?? []).filter(([sequence]) => sequence > cursor.n));
}

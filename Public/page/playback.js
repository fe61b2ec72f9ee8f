// Plays the moments of a page in sequence, in real time or faster. Long waits are shortened. Loaded at the first click on
// Play.

/** The maximum wait between two moments at single speed, in milliseconds. */
const LONGEST = 2_000;

/** The wait between two moments, in milliseconds. @param {number} from @param {number} to @param {number} speed */
export function wait(from, to, speed) {
  return Math.min(Math.max(to - from || 0, 0), LONGEST) / speed;
}

/** @typedef {{url: string, region: string, at: number}} Moment */

export class Playback {
  #turn = 0;

  /**
   * @param {object} world
   * @param {() => string|null} world.next the URL of the next moment
   * @param {(url: string) => Promise<Moment|null>} world.read
   * @param {(moment: Moment) => void} world.show
   * @param {() => number} world.speed
   * @param {() => number} world.now
   * @param {(milliseconds: number) => Promise<void>} world.sleep
   */
  constructor(world) {
    this.world = world;
  }

  isPlaying = false;

  /**
   * @param {string|null} url the moment to begin with @param {number} [at] the time of the current moment
   * @returns {Promise<boolean>} whether it reached the end without being stopped
   */
  async play(url, at) {
    const { next, read, show, speed, now, sleep } = this.world;
    const turn = ++this.#turn;
    this.isPlaying = true;
    let [since, before] = [now(), at];
    while (url) {
      const moment = await read(url);
      if (turn !== this.#turn) return false;
      if (!moment) break;
      // The time to fetch the moment is part of the wait.
      if (before !== undefined) await sleep(Math.max(wait(before, moment.at, speed()) - (now() - since), 0));
      if (turn !== this.#turn) return false;
      show(moment);
      [since, before] = [now(), moment.at];
      url = next();
    }
    this.isPlaying = false;
    return true;
  }

  stop() {
    this.#turn += 1;
    this.isPlaying = false;
  }
}

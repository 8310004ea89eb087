/** The switch of instrumented sources: which mutant is active, and which mutated places a test reaches. */

const maxSteps = 3_000_000;

export interface MutationSwitch {
  active: number;
  reached: Uint8Array;
  steps: number;
  on(id: number): boolean;
  /** Counts one iteration of a loop; stops a mutant that makes a loop endless. */
  step(): void;
}

declare global {
  /** The switch that instrumented sources use; the runner sets it before it imports the sources. */
  var __mutation: MutationSwitch;
}

/** `onFirst` gets each mutant when it is reached for the first time. */
export function createSwitch(count: number, onFirst?: (id: number) => void): MutationSwitch {
  return {
    active: -1,
    reached: new Uint8Array(count),
    steps: 0,
    on(id) {
      if (this.reached[id] !== 1) onFirst?.(id);
      this.reached[id] = 1;
      return this.active === id;
    },
    step() {
      if (this.active >= 0 && ++this.steps > maxSteps) throw new Error('A loop does not end.');
    },
  };
}

export function reachedIds({ reached }: MutationSwitch): number[] {
  return [...reached.keys()].filter((id) => reached[id] === 1);
}

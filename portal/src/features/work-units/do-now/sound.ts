/** Short sounds by severity, made by the browser itself. */
import type { severities } from '@cloudfit/contract/enums.ts';
import { browserStore } from '../../../api/browser-store.ts';

type Severity = (typeof severities)[number];

/** The people who want sounds in this browser. */
export const soundFor = browserStore('cloudfit.doNow.sound', (stored): readonly string[] =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [],
);

export function setSound(personId: string, isOn: boolean): void {
  const others = soundFor.get().filter((id) => id !== personId);
  soundFor.set(isOn ? [...others, personId] : others);
}

/** The pitches of a severity in hertz: the more severe, the higher and the more of them. */
export const pitches: Readonly<Record<Severity, readonly number[]>> = {
  Sev0: [988, 784, 988, 784],
  Sev1: [880, 698, 880],
  Sev2: [659, 784],
  Sev3: [587],
  Sev4: [440],
};

const noteSeconds = 0.16;
const loudness = 0.2;
const permitMs = 300;

let context: AudioContext | undefined;

/** Plays the sound of the severity. False if the browser permits none yet: until the first click or key on the page. */
export async function playSound(severity: Severity): Promise<boolean> {
  if (typeof AudioContext === 'undefined') return false;
  context ??= new AudioContext();
  // Without permission, `resume` does not settle.
  if (context.state !== 'running')
    await Promise.race([context.resume().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, permitMs))]);
  if (context.state !== 'running') return false;
  for (const [index, pitch] of pitches[severity].entries()) {
    const from = context.currentTime + index * noteSeconds;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(loudness, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + noteSeconds);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + noteSeconds);
  }
  return true;
}

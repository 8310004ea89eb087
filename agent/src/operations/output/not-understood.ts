/** Collects the parts of an output that are not understood: they cost themselves alone, and the reading says so. */
import { storable } from '../../storable.ts';
import { OutputError, type OutputReading } from './reading.ts';

/** The maximum number of parts whose text is told; further ones are counted. */
const toldMax = 20;
const shownMax = 200;

export class NotUnderstood {
  private readonly texts: string[] = [];
  private count = 0;

  add(text: string): void {
    this.count++;
    if (this.texts.length < toldMax) this.texts.push(storable(text.trim(), shownMax));
  }

  /** Adds what was not understood to the reading. `one` and `many` are the words for it. */
  addTo(reading: OutputReading, one = 'line', many = 'lines'): void {
    const [first] = this.texts;
    if (first === undefined) return;
    const notice = `${this.count === 1 ? `One ${one} was` : `${this.count} ${many} were`} not understood: ${first}`;
    reading.message = reading.message === undefined ? notice : `${reading.message} (${notice})`;
    reading.diagnostics = { ...reading.diagnostics, NotUnderstood: this.texts };
  }

  /** Throws for an output of which nothing was understood. `form` names what was expected. */
  requireSome(understood: number, form: string): void {
    if (understood > 0) return;
    throw new OutputError(
      this.texts[0] === undefined ? `The output has no ${form}.` : `No line of the output is a ${form}; the first is: ${this.texts[0]}`,
    );
  }
}

/** Collects what becomes the configuration of another product's documents, and the report of what does not. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ConfigurationDocument } from '@cloudfit/contract/configuration.ts';
import type { Ticket } from '@cloudfit/contract/configuration/tickets.ts';
import type { MovingKind, MovingOutcome, MovingProduct, MovingReason } from '@cloudfit/contract/configuration/moving.ts';
import { movingTexts } from '@cloudfit/contract/messages/moving.en.ts';
import { movingProductNames } from '@cloudfit/contract/configuration/moving-products.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { idOfPath } from '../code/paths.ts';
import { NoCounterpart } from './reading.ts';
import { buildSchedules, firstDifference, hasClockChanges, personId, type SourceSchedule } from './schedules.ts';

type MovedRow = Record<string, unknown>;

/** A step of an escalation: whom it tells, some minutes after the beginning. */
export interface SourceStep {
  minutes: number;
  to: { schedule: string } | { person: string };
  stopWhen: 'Acknowledged' | 'Resolved';
}

export interface SourceEscalation {
  id: string;
  name: string;
  description: string;
  steps: readonly SourceStep[];
  /** All steps again so often, each time so many minutes after the time before. */
  repeat?: { minutes: number; times: number } | undefined;
}

const hhmmss = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(Math.floor(minutes % 60)).padStart(2, '0')}:${String(Math.round((minutes % 1) * 60)).padStart(2, '0')}`;

export class Moving {
  private readonly rows: Record<string, MovedRow[]> = {};
  private readonly people = new Map<string, string>();
  private readonly without: MovingOutcome['without'] = [];
  private readonly counts: MovingOutcome['counts'] = [];
  /** The schedules here for the id of one there. */
  private readonly schedules = new Map<string, { id: string; name: string }[]>();
  private readonly names = new Set<string>();

  private readonly product: MovingProduct;
  private readonly tenantId: string;
  private readonly now: number;

  constructor(product: MovingProduct, tenantId: string, now: number) {
    this.product = product;
    this.tenantId = tenantId;
    this.now = now;
  }

  count(kind: MovingKind, count: number): void {
    if (count > 0) this.counts.push({ kind, count });
  }

  lacks(name: string, reason: MovingReason, detail = ''): void {
    const short = detail.slice(0, 200);
    this.without.push({ name: name.slice(0, 400), reason, detail: short, text: movingTexts.reasons[reason](short) });
  }

  /** Does the work, and lists what has no counterpart. */
  attempt(name: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.report(error, name);
    }
  }

  private report(error: unknown, name: string): void {
    if (!(error instanceof NoCounterpart)) throw error;
    this.lacks(name, error.reason, error.detail);
  }

  /** A name that no other row of the kind has, because rows are found by their names. */
  private unique(kind: string, name: string): string {
    const plain = name.replaceAll(/\s+/g, ' ').trim().slice(0, 190) || this.product;
    let free = plain;
    for (let number = 2; this.names.has(`${kind} ${free.toLowerCase()}`); number += 1) free = `${plain} #${number}`;
    this.names.add(`${kind} ${free.toLowerCase()}`);
    return free;
  }

  private person(email: string): string {
    const id = personId(email);
    this.people.set(id, email);
    return id;
  }

  addSchedule(input: SourceSchedule): void {
    const label = `Schedule ${input.name}`;
    const source = { ...input, name: this.unique('onCallSchedules', input.name) };
    const built = buildSchedules(source, this.now, (error, what) => this.report(error, what === '' ? label : `${label} / ${what}`));
    if (built.length === 0) return;
    for (const email of [...source.layers.flatMap(({ turns }) => turns.flat()), ...source.overrides.flatMap(({ people }) => people)])
      this.person(email);
    this.schedules.set(source.id, built);
    for (const { id, name, times, overrides } of built) {
      const description = source.description === '' ? {} : { description: source.description.slice(0, 4_000) };
      this.add('onCallSchedules', { onCallScheduleId: id, name, ...description, timeZone: times.timeZone, layers: times.layers });
      for (const { personId: who, from, to, reason } of overrides) {
        const [startsAt, endsAt] = [new Date(from).toISOString(), new Date(to).toISOString()];
        this.push('onCallOverrides', {
          onCallOverrideId: idOfPath('onCallOverrides', `${id} ${who} ${startsAt} ${endsAt}`),
          onCallScheduleId: id,
          personId: who,
          startsAt,
          endsAt,
          ...(reason === '' ? {} : { reason }),
        });
      }
    }
    const turns = source.layers.filter(({ unit, turns: some }) => unit === 'Hours' && some.length > 1);
    if (turns.length > 0 && hasClockChanges(source.timeZone, this.now))
      this.lacks(label, 'hour-turns', turns.map(({ name }) => name).join(', '));
    const difference = firstDifference(source, built);
    if (difference !== undefined) this.lacks(label, 'differs', new Date(difference).toISOString());
  }

  addEscalation({ id, name, description, steps, repeat }: SourceEscalation): void {
    const protocolId = idOfPath('protocols', id);
    const protocol = this.unique('protocols', name);
    this.add('protocols', { protocolId, name: protocol, ...(description === '' ? {} : { description: description.slice(0, 4_000) }) });
    let sequence = 0;
    for (const { minutes, to, stopWhen } of steps) {
      const targets = 'person' in to ? [{ id: this.person(to.person), name: to.person }] : this.schedules.get(to.schedule);
      if (!targets) {
        this.lacks(`Escalation ${name}`, 'step-recipient', 'schedule' in to ? to.schedule : '');
        continue;
      }
      for (const target of targets) {
        sequence += 1;
        const whom = 'person' in to ? { Whom: 'Person', PersonId: target.id } : { Whom: 'Schedule', ScheduleId: target.id };
        this.push('protocolActions', {
          protocolActionId: idOfPath('protocolActions', `${id} ${sequence}`),
          protocolId,
          actionDefinitionId: builtInAction.notify,
          workUnitEventTypeId: 1,
          sequence,
          parameters: JSON.stringify(whom),
          summary: target.name.slice(0, 500),
          runAutomatically: true,
          wait: hhmmss(minutes),
          stopWhen,
          ...(repeat && repeat.times > 0 && repeat.minutes >= 1
            ? { repeatEvery: hhmmss(repeat.minutes), repeatTimes: Math.min(100, repeat.times) }
            : {}),
        });
      }
    }
  }

  /** Adds a ticket; blank texts are left out. */
  addTicket(ticket: { [K in keyof Omit<Ticket, 'tenantId' | 'source'>]?: Ticket[K] | undefined }): void {
    const filled = Object.entries(ticket).filter(([, value]) => value !== undefined && value !== '');
    this.add('tickets', { source: movingProductNames[this.product], ...Object.fromEntries(filled) });
  }

  private push(resource: string, row: MovedRow): void {
    (this.rows[resource] ??= []).push(row);
  }

  private add(resource: string, row: MovedRow): void {
    this.push(resource, { ...row, tenantId: this.tenantId });
  }

  /** Adds a row of the tenant with a name that no other of the kind has; returns its id. */
  addRow(resource: string, id: string, row: MovedRow & { name: string }): string {
    const { key } = requireResource(resource);
    const rowId = idOfPath(resource, `${this.product} ${id}`);
    this.add(resource, { [key]: rowId, ...row, name: this.unique(resource, row.name) });
    return rowId;
  }

  outcome(): MovingOutcome {
    const people = [...this.people].map(([key, name]) => ({ key, name: name.slice(0, 400) }));
    const document: ConfigurationDocument = {
      cloudfit: 'configuration',
      version: 1,
      rows: this.rows,
      ...(people.length > 0 ? { names: { people } } : {}),
    };
    return { product: this.product, counts: this.counts, document, without: this.without };
  }
}

/** German texts of what became of the verbs on work units. */
import type * as english from './unit-outcomes.en.ts';
import type { Texts } from './texts.ts';

const units = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgänge`);
const ofUnits = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgängen`);

export const unitOutcomeTexts: Texts<typeof english.unitOutcomeTexts> = {
  resolveTitle: (n, id) => (n === 1 ? `Vorgang #${id} lösen` : `${units(n)} lösen`),
  resolveText: (fresh) =>
    fresh === 0 ? 'Was war die Ursache, und was wurde getan?' : 'Was war die Ursache, und was wurde getan? Zuerst wird bestätigt.',
  resolution: 'Lösung',
  resolveYes: 'Lösen',
  groupQuestions: (n) =>
    `Möchten Sie mit dieser Änderung der Bearbeitergruppe bei ${ofUnits(n)} die aktuelle Zuweisung entfernen und den Status auf Neu setzen?`,
  none: 'Keine',
  nothing: {
    acknowledge: 'Keiner davon ist Neu: Es gibt nichts zu bestätigen.',
    resolve: 'Alle sind bereits beendet.',
    reopen: 'Alle sind bereits offen.',
    other: 'Nichts zu ändern: Sie haben diesen Wert bereits.',
  },
  acknowledged: (n) => `${units(n)} bestätigt.`,
  resolved: (n, id) => (n === 1 ? `Vorgang #${id} gelöst.` : `${units(n)} gelöst.`),
  reopened: (n, id) => (n === 1 ? `Vorgang #${id} ist wieder offen.` : `${units(n)} sind wieder offen.`),
  assigned: (n, id, name) => (n === 1 ? `Vorgang #${id} ${name} zugewiesen.` : `${units(n)} ${name} zugewiesen.`),
  unassigned: (n, id) => (n === 1 ? `Vorgang #${id} ist niemandem zugewiesen.` : `${units(n)} sind niemandem zugewiesen.`),
  changed: (n, id, field, value) => (n === 1 ? `${field} von Vorgang #${id} ist ${value}.` : `${field} von ${ofUnits(n)} ist ${value}.`),
  pending: { resolve: 'Wird gelöst …', other: 'Wird gespeichert …' },
  unconfirmed: (n, id) =>
    n === 1
      ? `Der Server hat die Änderung von Vorgang #${id} nicht bestätigt. Bitte prüfen Sie ihn und versuchen Sie es erneut.`
      : `Der Server hat die Änderung von ${ofUnits(n)} nicht bestätigt. Bitte prüfen Sie sie und versuchen Sie es erneut.`,
  wasFirst: (who, id, now) => `${who} war schneller: Vorgang #${id} ist jetzt ${now}. Es wurde nichts geändert.`,
  somebody: 'Jemand anderes',
  assignedNow: (name) => `zugewiesen an ${name}`,
  nobodyNow: 'niemandem zugewiesen',
  valueNow: (field, value) => `bei ${field} ${value}`,
  skipped: (n, reasons) => `${units(n)} nicht geändert: ${reasons}`,
  reason: (id, text) => `#${id}: ${text}`,
  changedBy: (who) => `${who} war schneller.`,
  undo: 'Rückgängig',
  undoTexts: {
    undoing: 'Wird rückgängig gemacht …',
    undone: (n) => `Bei ${ofUnits(n)} rückgängig gemacht.`,
    undoSkipped: (ids) => `Inzwischen von jemand anderem geändert und deshalb belassen: ${ids}.`,
    undoFailed: 'Das konnte nicht rückgängig gemacht werden. Bitte versuchen Sie es erneut.',
  },
  acknowledgement: {
    pending: 'Wird bestätigt …',
    done: (id: number) => `Vorgang #${id} bestätigt.`,
    unconfirmed: (id: number) =>
      `Der Server hat nicht gemeldet, dass Vorgang #${id} bestätigt ist. Bitte prüfen Sie ihn, und versuchen Sie es erneut.`,
  },
  resolutionAsNote: 'Meinen Text als Notiz hinzufügen',
};

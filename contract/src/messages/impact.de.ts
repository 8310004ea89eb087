/** German texts of what a change touches, before it is saved. */
import type * as english from './impact.en.ts';
import type { Texts } from './texts.ts';

const some = (one: string, many: string) => (count: number) => (count === 1 ? `1 ${one}` : `${count.toLocaleString('de')} ${many}`);
const devices = some('Gerät', 'Geräte');

export const impactTexts: Texts<typeof english.impactTexts> = {
  title: 'Was dies ändert',
  titleDelete: 'Was dies betrifft',
  counting: 'Auswirkungen werden geprüft …',
  failed: 'Was dies ändert, konnte nicht gelesen werden.',
  nothing: 'Zurzeit verwendet es nichts anderes.',
  more: (count: number) => `und ${count.toLocaleString('de')} weitere`,
  groups: {
    tenants: some('Mandant', 'Mandanten'),
    devicesBefore: (count) => `${devices(count)} jetzt ausgewählt`,
    devicesAfter: (count) => `${devices(count)} nach der Änderung`,
    devicesGained: some('Gerät kommt hinzu', 'Geräte kommen hinzu'),
    devicesLost: some('Gerät fällt weg', 'Geräte fallen weg'),
    openMatches: some('offener Treffer', 'offene Treffer'),
    endingMatches: some(
      'offener Treffer von Geräten, die nicht mehr ausgewählt sind: Nichts wiederholt ihn, und er endet mit seiner Lebensdauer',
      'offene Treffer von Geräten, die nicht mehr ausgewählt sind: Nichts wiederholt sie, und sie enden mit ihrer Lebensdauer',
    ),
    heldMatches: some('Treffer, dessen Aktionen zurückgehalten werden', 'Treffer, deren Aktionen zurückgehalten werden'),
    units: some('offener Vorgang', 'offene Vorgänge'),
    executions: some('wartende Ausführung', 'wartende Ausführungen'),
    rules: some('Regel', 'Regeln'),
    protocols: some('Ablaufplan', 'Ablaufpläne'),
    waitingSteps: some('wartender Schritt', 'wartende Schritte'),
    installations: some('Installation', 'Installationen'),
    unitsWithValue: some('Vorgang mit einem Wert', 'Vorgänge mit einem Wert'),
  },
};

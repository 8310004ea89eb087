/** German texts of the screen of public status pages. */
import type * as english from './status-pages.en.ts';
import type { Texts } from './texts.ts';

export const statusPageTexts: Texts<typeof english.statusPageTexts> = {
  emptyText: 'Eine Statusseite zeigt der Öffentlichkeit, wie es um Ihre Dienste steht. Niemand sieht sie, bevor Sie sie öffentlich machen.',
  sections: { page: 'Seite', shown: 'Was sie zeigt' },
  details: 'Einstellungen',
  preview: 'Vorschau',
  previewOf: (title) => `Vorschau von ${title}`,
  previewFailed: 'Die Vorschau konnte nicht geladen werden.',
  isPublic: 'Öffentlich',
  isNotPublic: 'Nicht öffentlich',
  isOn: (address) => `Alle können ${address} öffnen`,
  isOff: (address) => `Noch sieht sie niemand. Ihre Adresse wird ${address}`,
  subscribers: 'Abonnenten',
  noSubscribers: 'Noch keine Abonnenten',
  noSubscribersText:
    'Besucher der Seite hinterlassen ihre Adresse und bestätigen sie durch einen Link in einer Mail. Sie werden über Mitteilungen auf der Statusseite benachrichtigt.',
  notOffered: 'Besucher können sie nicht abonnieren',
  notOfferedText:
    'Es ist kein Mailserver eingestellt, deshalb bietet die Seite keine Benachrichtigung per Mail an. Ein Administrator des Servers setzt SMTP_URL.',
  subscribersFailed: 'Die Abonnenten konnten nicht geladen werden.',
  subscribersHidden: 'Nur wer Einstellungen bearbeiten darf, sieht die Abonnenten.',
  removeTitle: 'Diesen Abonnenten entfernen?',
  removeText: (email) => `${email} erhält keine Benachrichtigungen dieser Seite mehr. Wer die Adresse hat, kann sie erneut abonnieren.`,
  removed: 'Entfernt.',
  latest: (n, all) => `Die ersten ${n} von ${all}.`,
  copy: 'Adresse kopieren',
  copied: 'Kopiert.',
  addressHint: 'Leer: eine Adresse, die niemand erraten kann.',
  componentsHint:
    'Offene Vorgänge mit Sev0 oder Sev1 zu den Geräten einer Komponente sind ein Ausfall, solche mit Sev2 eine Beeinträchtigung. Ebenso eine Mitteilung auf der Statusseite, die die Komponente unter ihren betroffenen Diensten nennt.',
  name: 'Öffentlicher Name',
  kind: 'Steht für',
  kinds: { Subscription: 'ein Abonnement', Location: 'einen Standort', Selection: 'eine Geräteauswahl', Block: 'einen Block' },
  of: { Subscription: 'Abonnement', Location: 'Standort', Selection: 'Auswahl', Block: 'Block' },
  add: 'Komponente hinzufügen',
  remove: (name) => `${name} entfernen`,
  up: (name) => `${name} nach oben verschieben`,
  unnamed: 'Komponente',
};

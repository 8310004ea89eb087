/** German texts of the accounts of a person in chats. */
import type * as english from './chat-accounts.en.ts';
import type { Texts } from './texts.ts';

export const chatAccountTexts: Texts<typeof english.chatAccountTexts> = {
  title: 'Chat-Konten',
  intro:
    'Schaltflächen und Threads in diesen Konten handeln in Ihrem Namen. Um eines zu verbinden, drücken Sie in Slack oder Mattermost auf eine Schaltfläche in einer Nachricht von CloudFit: Wen es nicht erkennt, bekommt einen Link.',
  none: 'Keines ist verbunden.',
  failed: 'Die Chat-Konten konnten nicht geladen werden.',
  account: (user, service, workspace) => `@${user} in ${service}, ${workspace}`,
  customer: 'Kunde',
  address: 'Adresse dort',
  addressNone: 'der Chat nennt keine',
  connected: 'verbunden',
  disconnect: 'Trennen',
  disconnectThis: (account) => `${account} trennen`,
  disconnectTitle: 'Dieses Chat-Konto trennen?',
  disconnectQuestion: (account) => `Schaltflächen und Threads von ${account} handeln nicht mehr durch diese Verbindung.`,
  disconnectFailed: 'Das Chat-Konto konnte nicht getrennt werden.',
  connectTitle: 'Sind Sie das?',
  connectText: (account) => `${account} möchte in Ihrem Namen in CloudFit handeln.`,
  connectWarning:
    'Fahren Sie nur fort, wenn Sie gerade selbst in diesem Chat auf eine Schaltfläche gedrückt haben. Wer Ihnen diesen Link geschickt hat, bekäme Ihre Rechte.',
  connect: 'Verbinden',
  done: (account) => `${account} ist verbunden. Drücken Sie im Chat noch einmal auf die Schaltfläche.`,
  linkFailed: 'Der Link kann nicht verwendet werden',
};

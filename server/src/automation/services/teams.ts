/**
 * Microsoft Teams: a workflow “When a Teams webhook request is received” posts an adaptive card for each unit and each of its states.
 * A workflow cannot edit or name what it has posted, and calls nobody back. So a card whose answer was lost comes again, and says so.
 */
import type { Service, ServiceTarget, ServiceNews } from './service.ts';
import { messageFacts, messageTitle, stateSentence } from './words.ts';

function cardOf(news: ServiceNews, { acknowledgeUrl }: ServiceTarget, isRepeat: boolean): object {
  const title = { type: 'TextBlock', size: 'Medium', weight: 'Bolder', wrap: true, text: messageTitle(news) };
  const facts = { type: 'FactSet', facts: messageFacts(news).map(([name, value]) => ({ title: name, value })) };
  const sentence = news.deed === 'state' ? [{ type: 'TextBlock', wrap: true, text: stateSentence(news) }] : [];
  const actions = [
    ...(news.stateId === 'New' ? [{ type: 'Action.OpenUrl', title: 'Acknowledge', url: acknowledgeUrl(news.workUnitId) }] : []),
    { type: 'Action.OpenUrl', title: 'Open in CloudFit', url: news.url },
  ];
  const repeat = {
    type: 'TextBlock',
    size: 'Small',
    isSubtle: true,
    wrap: true,
    text: 'Teams did not answer at first, so this card may be here twice.',
  };
  return cards({ body: [title, ...sentence, facts, ...(isRepeat ? [repeat] : [])], actions });
}

const cards = (content: object): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4', ...content },
    },
  ],
});

export const teams: Service = {
  headers: () => ({}),
  tokenIsQuery: true,
  isFinal: (status) => status === 400,
  test: async ({ name }, { call }) => {
    const text = `This is a test of the subscription ${name} of CloudFit. Nothing happened.`;
    await call({ method: 'POST', path: '', body: cards({ body: [{ type: 'TextBlock', wrap: true, text }] }) });
  },
  tell: async (news, link, target, { call, lookBack, store }) => {
    // A message for each note and field would be noise, because none replaces the one before.
    if (link ? news.deed !== 'state' : !target.creates || news.isOver) return;
    const isRepeat = (await lookBack(() => Promise.resolve(true))) === true;
    await call({ method: 'POST', path: '', body: cardOf(news, target, isRepeat) });
    await store({ key: `unit ${news.workUnitId}`, name: 'Messages in Teams', url: null, state: news.stateId, at: null });
  },
};

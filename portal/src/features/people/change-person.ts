/** Actions on a person: enabling, disabling, photo, sign-ins, second factor, and showing the portal as the person sees it. */
import {
  endSessionsOfPerson,
  removePhotoOfPerson,
  removeSecondFactor as removeSecondFactorOf,
  seeAsPerson,
} from '@cloudfit/contract/calls.ts';
import { peopleTexts as t, photoTexts } from '@cloudfit/contract/messages/people.en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { call } from '../../api/call.ts';
import { changeRow } from '../../api/row-calls.ts';
import { beginImpersonation } from '../../api/see-as.ts';
import { command } from '../../calls/command.ts';
import type { Question } from '../../components/overlay/confirm.tsx';

export type Person = ExpandedRow<typeof people, 'grants'>;

const changed = { refreshes: [people.name] };

/** A question before something ends that cannot be taken back. */
const ending = (title: string, text: string, yes: string): Question => ({ title, text, yes, danger: true });

export const enablePerson = command(({ personId }: Person) => changeRow(people, personId, { enabled: true }, { quiet: true }), {
  ...changed,
  done: (_, { name }) => t.enabled(name),
  failed: ({ name }) => t.changeFailed(name),
});

export const disablePerson = command(({ personId }: Person) => changeRow(people, personId, { enabled: false }, { quiet: true }), {
  ...changed,
  confirm: ({ name }) => ending(t.disableTitle, t.disableQuestion(name), t.disable),
  done: (_, { name }) => t.disabled(name),
  failed: ({ name }) => t.changeFailed(name),
});

/** Shows the portal, in this tab, as the person sees it. */
export const seeAs = command(async ({ personId }: Person) =>
  beginImpersonation(await call(seeAsPerson, { id: personId }, { quiet: true })),
);

/** Ends one session; without `sessionId` all sessions, after a confirmation. */
export const endSessions = command(
  ({ person, sessionId }: { person: Person; sessionId?: string }) =>
    call(endSessionsOfPerson, { id: person.personId, sessionId }, { quiet: true }),
  {
    ...changed,
    confirm: ({ person, sessionId }) =>
      sessionId === undefined ? ending(t.sessions.endAllTitle, t.sessions.endAllQuestion(person.name), t.sessions.endAll) : undefined,
    done: ({ ended }) => t.sessions.ended(ended),
    failed: t.sessions.endFailed,
  },
);

export const removePhoto = command(({ personId }: Person) => call(removePhotoOfPerson, { id: personId }, { quiet: true }), {
  ...changed,
  confirm: ({ name }) => ending(photoTexts.ofPerson.removeTitle, photoTexts.ofPerson.removeQuestion(name), photoTexts.remove),
  done: (_, { name }) => photoTexts.ofPerson.removed(name),
  failed: photoTexts.removeFailed,
});

export const removeSecondFactor = command(({ personId }: Person) => call(removeSecondFactorOf, { id: personId }, { quiet: true }), {
  ...changed,
  confirm: ({ name }) => ending(t.secondFactor.removeTitle, t.secondFactor.removeQuestion(name), t.secondFactor.remove),
  done: (_, { name }) => t.secondFactor.removed(name),
  failed: t.secondFactor.removeFailed,
});

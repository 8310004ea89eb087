/** Why a message to somebody on call reaches nobody, as the API says it; the portal says it in the language of its reader. */
export const onCallProblems = {
  disabled: 'The person is disabled.',
  noRights: 'The person has no rights in this tenant any more.',
  mailAlone: 'The person is reached by mail alone, and no mail server is set.',
  noChannel: 'The person has no channel: no email address, browser or phone.',
} as const;

/** Texts of the accounts of a person in chats. */
export const chatAccountTexts = {
  title: 'Chat accounts',
  intro:
    'Buttons and threads in these accounts act in your name. To connect one, press a button in a message of CloudFit in Slack or Mattermost: whom it does not recognize gets a link.',
  none: 'None is connected.',
  failed: 'The chat accounts could not be loaded.',
  account: (user: string, service: string, workspace: string) => `@${user} in ${service}, ${workspace}`,
  customer: 'Customer',
  address: 'Address there',
  addressNone: 'the chat tells none',
  connected: 'connected',
  disconnect: 'Disconnect',
  disconnectThis: (account: string) => `Disconnect ${account}`,
  disconnectTitle: 'Disconnect this chat account?',
  disconnectQuestion: (account: string) => `Buttons and threads of ${account} no longer act by this connection.`,
  disconnectFailed: 'The chat account could not be disconnected.',
  connectTitle: 'Is this you?',
  connectText: (account: string) => `${account} asks to act in your name in CloudFit.`,
  connectWarning:
    'Continue only if you have pressed a button in this chat yourself, a moment ago. Whoever has sent you this link would get your rights.',
  connect: 'Connect',
  done: (account: string) => `${account} is connected. Press the button in the chat again.`,
  linkFailed: 'The link cannot be used',
} as const;

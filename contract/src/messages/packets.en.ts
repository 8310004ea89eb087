/** Texts of packets. */
export const packetTexts = {
  title: 'Packet',
  none: 'No packet for this entity.',
  noneText: 'It shows here as soon as the entity reports.',
  failed: 'The packet could not be loaded.',
  forbidden: 'You may not see packets.',
  entity: 'Entity ID',
  timestamp: 'Timestamp',
  received: 'Received',
  block: 'Block',
  device: 'Device',
  sections: { Metrics: 'Metrics', States: 'States', Properties: 'Properties' } as Record<string, string>,
  diagnostics: 'Diagnostics',
  whole: 'Message',
} as const;

/** The begin of the event that a decision about a change leaves in its history: the server writes it, the portal finds its time by it. */
export const decisionEvent = (isApproval: boolean, slot: 1 | 2): string =>
  `Change Request ${isApproval ? 'approved' : 'declined'} by approver ${slot}, `;

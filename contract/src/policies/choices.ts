/** What the items of policies are, and what happens with them. */

/** What a policy sets on a device. */
export const policyItemKinds = ['Operation', 'OtherOperation', 'Package', 'Tag', 'Heartbeat', 'RuleValue'] as const;
export type PolicyItemKind = (typeof policyItemKinds)[number];

/** Whether a device has what a policy sets, or why not. Kept: it has left the policy, which lets it keep this. */
export const policyItemStates = ['Set', 'Failed', 'Kept'] as const;
export type PolicyItemState = (typeof policyItemStates)[number];

/** What a device that leaves a policy loses: what the policy has set, or nothing. */
export const policyLeaves = ['Remove', 'Keep'] as const;
export type PolicyLeave = (typeof policyLeaves)[number];

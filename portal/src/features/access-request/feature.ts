/** Feature flag and address of the access request: what the sign-in pages know of it. */
export const accessRequestFeature = 'I3ERequestForm';
export const accessRequestAddress = '/user/accessrequest';

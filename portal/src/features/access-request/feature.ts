/** Feature flag and address of the access request, for the sign-in pages. */
export const accessRequestFeature = 'I3ERequestForm';
export const accessRequestAddress = '/user/accessrequest';

/** The header of requests in a sight: an administrator sees the portal as another person. */

/** Names the sight (`seeAsPerson`) in which a request is made. */
export const seeAsHeader = 'x-see-as';

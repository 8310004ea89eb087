/** The header of requests during an impersonation: an administrator sees the portal as another person. */

/** The request header with the id of the impersonation (`seeAsPerson`) in which a page makes its requests. */
export const seeAsHeader = 'x-see-as';

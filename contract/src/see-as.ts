/** The header of requests in a sight: an administrator sees the portal as another person. */

/** The request header with the id of the sight (`seeAsPerson`) in which a page makes its requests. */
export const seeAsHeader = 'x-see-as';

/** Counters of this process, whether or not anybody reads them (`metrics.ts`): plain numbers, so that counting is cheap. */
export const meters = {
  packetsStored: 0,
  /** Packets that the stream has taken; they are counted as stored when they are written. */
  packetsAccepted: 0,
  packetsDuplicate: 0,
  packetsRefused: 0,
  failedSignIns: 0,
  /** Calls with a token that was revoked or signed out. */
  revokedTokenHits: 0,
  /** Statements of calls that may read the standby: read there; at the primary because it lacked the caller's writes, or was not read. */
  readsOfStandby: 0,
  readsAfterWrites: 0,
  readsWithoutStandby: 0,
};

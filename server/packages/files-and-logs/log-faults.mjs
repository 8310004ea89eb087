/** Why a file cannot be read, in words. */
const reasons = {
  EACCES: 'the agent has no right to',
  EPERM: 'the agent has no right to',
  EBUSY: 'another program has locked it',
  EIO: 'the disk does not answer',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ESTALE: 'the network drive has gone',
  ENOTCONN: 'the network drive has gone',
};

export const reasonOf = (error) => reasons[error.code] ?? error.code ?? error.message;

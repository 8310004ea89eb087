import { operationTypes } from '../enums.ts';

const checkTypes = new Set<string>(['Availability', 'Synthetic']);

/** Whether results of operations of this type say Up or Down. */
export const saysUpOrDown = (operationTypeId: number): boolean =>
  checkTypes.has(operationTypes.find(({ value }) => value === operationTypeId)?.label ?? '');

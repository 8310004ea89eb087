/**
 * Reads protobuf messages field by field, without building them: a body has as many fields as it has bytes, and most of them are left
 * out, so what is read is what is used. Unknown fields are skipped, as the format wants.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ApiError } from '@cloudfit/contract/errors.ts';

export class BrokenProtobuf extends ApiError {
  constructor() {
    super('InvalidBody', 'The body is not the protobuf message that belongs here, or not the whole of it.');
  }
}

/** The reader throws errors of several kinds, about bytes alone. */
function whole<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ApiError ? error : new BrokenProtobuf();
  }
}

/** The field at which a reader stands. It may be read once. */
export class WireField {
  no = 0;
  wire: WireType = WireType.Varint;
  isRead = false;
  readonly reader: BinaryReader;

  constructor(reader: BinaryReader) {
    this.reader = reader;
  }

  private read<T>(wire: WireType, read: (reader: BinaryReader) => T): T {
    if (this.wire !== wire) throw new BrokenProtobuf();
    this.isRead = true;
    return whole(() => read(this.reader));
  }

  text = (): string => this.read(WireType.LengthDelimited, (reader) => reader.string());
  bytes = (): Uint8Array => this.read(WireType.LengthDelimited, (reader) => reader.bytes());
  double = (): number => this.read(WireType.Bit64, (reader) => reader.double());
  fixed64 = (): number => this.read(WireType.Bit64, (reader) => Number(reader.fixed64()));
  sfixed64 = (): number => this.read(WireType.Bit64, (reader) => Number(reader.sfixed64()));
  int64 = (): number => this.read(WireType.Varint, (reader) => Number(reader.int64()));
  uint64 = (): number => this.read(WireType.Varint, (reader) => Number(reader.uint64()));
  sint32 = (): number => this.read(WireType.Varint, (reader) => reader.sint32());
  uint32 = (): number => this.read(WireType.Varint, (reader) => reader.uint32());
  bool = (): boolean => this.read(WireType.Varint, (reader) => reader.bool());

  /** Adds the numbers of a repeated field, which may be packed; says whether there are more than `max`. */
  numbersInto(list: number[], of: WireType, read: (reader: BinaryReader) => number, max: number): boolean {
    if (this.wire === WireType.LengthDelimited) {
      const packed = this.bytes();
      const reader = new BinaryReader(packed);
      while (reader.pos < reader.len && list.length <= max) list.push(whole(() => read(reader)));
    } else list.push(this.read(of, read));
    return list.length > max;
  }
}

/** Fields of a message that is read at once, and those that a list of messages may have between them: reading them blocks others. */
const maxFields = 20_000;
export const maxBetween = 120_000;

/** The fields of a message in their order. What the caller does not read is skipped. */
export function* fieldsOf(bytes: Uint8Array, max: number = maxFields): Generator<WireField, void> {
  const reader = new BinaryReader(bytes);
  const field = new WireField(reader);
  for (let count = 0; reader.pos < reader.len; count += 1) {
    if (count === max) throw new ApiError('InvalidBody', `A message of the body has more than ${max} fields. Send it in parts.`);
    [field.no, field.wire] = whole(() => reader.tag());
    field.isRead = false;
    yield field;
    if (!field.isRead) whole(() => reader.skip(field.wire, field.no));
  }
  if (reader.pos > reader.len) throw new BrokenProtobuf();
}

/** The messages of a repeated field, one at a time; the caller lets others have a turn between them. */
export function* messagesIn(bytes: Uint8Array, no: number): Generator<Uint8Array, void> {
  let between = 0;
  for (const field of fieldsOf(bytes, Infinity)) {
    if (field.no === no) yield field.bytes();
    else if ((between += 1) > maxBetween) throw new BrokenProtobuf();
  }
}

/** The first message of a field, which senders write before what is repeated; an empty one if it is not there. */
export function messageIn(bytes: Uint8Array, no: number): Uint8Array {
  let count = 0;
  for (const field of fieldsOf(bytes, Infinity)) {
    if (field.no === no) return field.bytes();
    if ((count += 1) === maxFields) break;
  }
  return new Uint8Array(0);
}

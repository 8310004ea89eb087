/** What is read of MIBs, and what is said of those that cannot be read. */
import { describe, expect, it } from 'vitest';
import { danglingIn, declarationsFor, objectNames } from './object-names.ts';
import { readMib, type Mib } from './read-mib.ts';

const mibOf = (text: string): Mib => {
  const mib = readMib(text);
  if ('faults' in mib) throw new Error(JSON.stringify(mib.faults));
  return mib;
};
const faultsOf = (text: string) => {
  const mib = readMib(text);
  return 'faults' in mib ? mib.faults : [];
};

const plant = `-- "The plant" --
PLANT-MIB DEFINITIONS ::= BEGIN
IMPORTS enterprises, OBJECT-TYPE FROM SNMPv2-SMI;
plant MODULE-IDENTITY LAST-UPDATED "202601010000Z" ORGANIZATION "P" CONTACT-INFO "P"
  DESCRIPTION "x OBJECT-TYPE ::= { enterprises 1 } -- not a comment" ::= { enterprises 4711 }
products OBJECT IDENTIFIER ::= { plant products(2) }
END
`;
const pump = `PUMP-MIB DEFINITIONS ::= BEGIN
IMPORTS products FROM PLANT-MIB OBJECT-TYPE, Gauge32 FROM SNMPv2-SMI;
OBJECT-TYPE MACRO ::= BEGIN TYPE NOTATION ::= "x" END
pumpLoad OBJECT-TYPE SYNTAX Gauge32 -- of the last minute -- MAX-ACCESS read-only STATUS current ::= { pumpEntry 2 }
PumpEntry ::= SEQUENCE { pumpPart OBJECT IDENTIFIER, pumpLoad Gauge32 }
pumpEntry OBJECT-TYPE SYNTAX PumpEntry MAX-ACCESS not-accessible STATUS current INDEX { pumpPart } ::= { pumpTable 1 }
pumpTable OBJECT-TYPE SYNTAX SEQUENCE OF PumpEntry MAX-ACCESS not-accessible STATUS current ::= { products 7 }
pumpPart OBJECT-TYPE SYNTAX OBJECT IDENTIFIER DEFVAL { { 0 0 } } ACCESS read-only STATUS mandatory ::= { pumpEntry 1 }
pumpFailed NOTIFICATION-TYPE OBJECTS { pumpLoad } STATUS current ::= { 1 3 6 1 4 1 99 }
END`;

describe('a MIB', () => {
  it('is read with the places of its objects, which may be declared later or in another one', () => {
    const names = objectNames([mibOf(pump), mibOf(plant)]);
    expect(['plant', 'products', 'pumpTable', 'pumpEntry', 'pumpPart', 'pumpLoad', 'pumpFailed'].map((name) => names.get(name))).toEqual([
      '1.3.6.1.4.1.4711',
      '1.3.6.1.4.1.4711.2',
      '1.3.6.1.4.1.4711.2.7',
      '1.3.6.1.4.1.4711.2.7.1',
      '1.3.6.1.4.1.4711.2.7.1.1',
      '1.3.6.1.4.1.4711.2.7.1.2',
      '1.3.6.1.4.1.99',
    ]);
    expect(names.get('x')).toBeUndefined();
  });

  it('keeps objects of one name in two MIBs apart', () => {
    const other = pump.replace('PUMP-MIB', 'OTHER-MIB').replace('{ products 7 }', '{ products 8 }');
    const names = objectNames([mibOf(plant), mibOf(other), mibOf(pump)]);
    expect(declarationsFor(['a=PUMP-MIB::pumpLoad.1, OTHER-MIB::pumpPart.2', 'Up=1.3.6.1.2, sysUpTime.0'], names)).toEqual([
      'pumpLoad OBJECT IDENTIFIER ::= { 1 3 6 1 4 1 4711 2 7 1 2 }',
      'pumpPart OBJECT IDENTIFIER ::= { 1 3 6 1 4 1 4711 2 8 1 1 }',
    ]);
  });

  it('is refused with the lines that are wrong', () => {
    expect(faultsOf('pumpLoad OBJECT-TYPE ::= { enterprises 1 }')).toEqual([
      { line: 1, message: 'A MIB begins with its name and DEFINITIONS ::= BEGIN.' },
    ]);
    expect(faultsOf(`${plant.slice(0, plant.indexOf('::= { enterprises 4711'))}"\nEND`)).toEqual([
      { line: 5, message: 'The text that begins here has no closing quotation mark.' },
    ]);
    expect(faultsOf('P DEFINITIONS ::= BEGIN\na OBJECT IDENTIFIER ::= { enterprises 1 }\n')).toEqual([
      { line: 2, message: 'The MIB does not end with END; perhaps the file was cut.' },
    ]);
    expect(faultsOf('P DEFINITIONS ::= BEGIN\nEND')).toEqual([{ line: 1, message: 'The MIB declares no objects.' }]);
    expect(
      faultsOf(
        'P DEFINITIONS ::= BEGIN\na OBJECT-TYPE SYNTAX INTEGER\nb OBJECT IDENTIFIER ::= { a b }\n\nc OBJECT IDENTIFIER ::= 5\nd OBJECT IDENTIFIER ::= { a 1 }\nEND',
      ),
    ).toEqual([
      { line: 2, message: 'a has no value: ::= { ... } is missing.' },
      { line: 3, message: 'The value of b is not an object and a number, such as { system 3 }.' },
      { line: 5, message: 'The value of c is not an object and a number, such as { system 3 }.' },
    ]);
  });

  it('has the traps of SMIv1 below their enterprises, with a zero between', () => {
    const trap = (rest: string) => `T DEFINITIONS ::= BEGIN
IMPORTS enterprises FROM RFC1155-SMI TRAP-TYPE FROM RFC-1215;
plant OBJECT IDENTIFIER ::= { enterprises 99999 }
pumpStopped TRAP-TYPE ${rest}
END`;
    const variables = 'VARIABLES { pumpName, pumpLevel } DESCRIPTION "It ::= 9 stopped"';
    for (const enterprise of ['plant', '{ plant }', '{ enterprises 99999 }'])
      expect(objectNames([mibOf(trap(`ENTERPRISE ${enterprise} ${variables} ::= 17`))]).get('pumpStopped')).toBe('1.3.6.1.4.1.99999.0.17');
    const problem = [{ line: 4, message: 'The trap pumpStopped needs its ENTERPRISE and a number, such as ::= 3.' }];
    expect(faultsOf(trap(`${variables} ::= 17`))).toEqual(problem);
    expect(faultsOf(trap('ENTERPRISE plant ::= { plant 17 }'))).toEqual(problem);
  });

  it('is read in time that grows with its length', () => {
    const many = (text: string) => `P DEFINITIONS ::= BEGIN ${text.repeat(20_000)} x OBJECT IDENTIFIER ::= { enterprises 1 } END`;
    for (const text of ['IMPORTS ', 'MACRO ::= BEGIN ', 'a ', '{ ', '-- ', 'o OBJECT IDENTIFIER ::= { enterprises 2 }\n'])
      expect(readMib(many(text))).toBeDefined();
  });

  it('is refused for objects that hang below themselves or deeper than any identifier, in time that grows with its length', () => {
    const circle = mibOf('P DEFINITIONS ::= BEGIN\na OBJECT IDENTIFIER ::= { b 1 }\nb OBJECT IDENTIFIER ::= { a 1 }\nEND');
    expect(danglingIn(circle, []).map(({ line }) => line)).toEqual([2, 3]);
    const chain = Array.from({ length: 20_000 }, (_, n) => `o${n} OBJECT IDENTIFIER ::= { o${n + 1} 1 }`).join('\n');
    const deep = mibOf(`P DEFINITIONS ::= BEGIN\n${chain}\no20000 OBJECT IDENTIFIER ::= { enterprises 1 }\nEND`);
    const names = objectNames([deep]);
    expect(names.get('o19999')).toBe('1.3.6.1.4.1.1.1');
    expect(names.get('o19879')?.split('.')).toHaveLength(128);
    expect(names.get('o19878')).toBeUndefined();
    expect(danglingIn(deep, [])[0]?.message).toContain('more than 128 numbers');
  });

  it('names the MIB that must be uploaded before it', () => {
    expect(danglingIn(mibOf(pump), [])).toEqual([
      { line: 7, message: 'pumpTable hangs below products, which is of PLANT-MIB: upload that first.' },
    ]);
    expect(danglingIn(mibOf(pump), [mibOf(plant)])).toEqual([]);
    expect(danglingIn(mibOf(pump.replace('products FROM PLANT-MIB', '')), [])).toEqual([
      { line: 7, message: 'pumpTable hangs below products, which no MIB declares.' },
    ]);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entityFiles, nameEntity, type Sources } from './new-entity.ts';

const root = join(import.meta.dirname, '..');
const repository: Sources = {
  read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined),
  list: (folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
};

describe('the names of a new entity', () => {
  it('come from the singular in PascalCase', () => {
    expect(nameEntity('MaintenanceWindow')).toEqual({
      label: 'Maintenance Window',
      plural: 'Maintenance Windows',
      set: 'maintenanceWindows',
      area: 'MaintenanceWindows',
      singular: 'maintenanceWindow',
      table: 'maintenance_window',
      file: 'maintenance-windows',
      path: 'maintenancewindows',
    });
  });

  it.each([
    ['Vendor', 'Vendors'],
    ['Company', 'Companies'],
    ['Survey', 'Surveys'],
    ['Address', 'Addresses'],
    ['Status', 'Statuses'],
    ['Box', 'Boxes'],
    ['Branch', 'Branches'],
    ['Analysis', 'Analyses'],
  ])('%s has the plural %s', (singular, plural) => {
    expect(nameEntity(singular).area).toBe(plural);
  });

  it('take an irregular plural', () => {
    expect(nameEntity('ServicePerson', 'ServicePeople')).toMatchObject({
      plural: 'Service People',
      set: 'servicePeople',
      file: 'service-people',
    });
  });

  it.each([
    ['vendor!', /NAME "vendor!" cannot be used.*such as Vendor\./],
    ['vendor', /such as Vendor\./],
    ['vendor contact', /such as VendorContact\./],
    ['9to5', /such as Vendor\./],
    ['', /cannot be used/],
    ['SLA', /such as Sla\./],
    ['IPAddress', /such as IpAddress\./],
    ['A', /such as Vendor\./],
    ['Vendors', /looks like a plural. Write the singular, such as Vendor\./],
    ['Gas', /If "Gas" is the singular, add its plural: --plural PLURAL\./],
    ['Order', /"order" is a reserved word of SQL/],
    ['Authorization', /reserved word of SQL/],
    ['CurrentUser', /"current_user" is a reserved word of SQL/],
  ])('%j is refused with the reason', (name, message) => {
    expect(() => nameEntity(name)).toThrow(message);
  });

  it('refuse a plural that is no other word', () => {
    expect(() => nameEntity('Sheep', 'Sheep')).toThrow(/has to differ/);
    expect(() => nameEntity('Vendor', 'all vendors')).toThrow(/PLURAL "all vendors" cannot be used/);
  });
});

// The entities of these tests must not exist in the repository, because the tests read the files of the repository.
describe('the files of a new entity', () => {
  it('are new, or lists of this repository with a line more', () => {
    const files = entityFiles(nameEntity('SnowGoose', 'SnowGeese'), repository);
    for (const { path, text, isNew } of files) {
      expect([path, repository.read(path) === undefined]).toEqual([path, isNew]);
      expect(text).toMatch(/snowGeese|snow_goose|SnowGeese|snowGoose|Snow Geese/);
      if (isNew) continue;
      const before = new Set(repository.read(path)?.split('\n'));
      const added = text.split('\n').filter((line) => !before.has(line));
      expect([path, added.length]).toEqual([path, /labels/.test(path) ? 3 : /registry|served/.test(path) ? 2 : 1]);
    }
  });

  it('have the next migration and a letter that no menu item has', () => {
    const files = entityFiles(nameEntity('SnowGoose', 'SnowGeese'), repository);
    const numbers = repository.list('server/src/db/migrations').map((name) => Number(name.slice(0, 4)));
    const migration = files.find(({ path }) => path.endsWith('.sql'))?.path ?? '';
    expect(Number(/(\d{4})-snow-geese/.exec(migration)?.[1])).toBe(Math.max(...numbers) + 1);
    const keys = [...(files.find(({ path }) => path.endsWith('navigation.ts'))?.text.matchAll(/key: '(\w)'/g) ?? [])].map(
      (match) => match[1],
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).not.toContain('h');
  });

  it('have no letter when every letter and digit leads to a screen', () => {
    const used = 'abcdefghijklmnopqrstuvwxyz0123456789'.replaceAll(/./g, "// key: '$&'\n");
    const read = (path: string) => (path.endsWith('navigation.ts') ? `${used}${repository.read(path) ?? ''}` : repository.read(path));
    const sources: Sources = { ...repository, read };
    const navigation = entityFiles(nameEntity('SnowGoose', 'SnowGeese'), sources).find(({ path }) => path.endsWith('navigation.ts'));
    expect(navigation?.text).toContain("{ path: 'snowgeese', label: t.snowGeese,");
  });

  it.each([
    ['Location', /The entity locations exists/],
    ['Setting', /The table setting exists/],
    ['Resource', /'Resources', in contract\/src\/permissions\.ts exists/],
    ['Notice', /A call at \/v1\/notices in contract\/src\/actions\/notices\.ts exists/],
  ])('of %s are refused because a part exists', (name, message) => {
    expect(() => entityFiles(nameEntity(name), repository)).toThrow(message);
  });

  it('are refused because their screen would have the address of another', () => {
    expect(() => entityFiles(nameEntity('Sound', 'Noise'), repository)).toThrow(/path: 'noise' in portal\/src\/app\/router\.tsx exists/);
  });
});

/** The compiler knows the fields of each entity in the parameters and results of the engine's functions. */
import { expectTypeOf, it } from 'vitest';
import type { Row, RowInput } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import type { Ctx } from '../context/ctx.ts';
import { servedDevices } from '../features/devices/devices.served.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import type { AnyServed, RowChange, Served } from './served.ts';
import { update } from './update.ts';

type Device = Row<typeof devices>;

it('keeps the type of a declaration through the engine', () => {
  expectTypeOf(servedDevices).toEqualTypeOf<Served<typeof devices>>();
  expectTypeOf(servedDevices).toExtend<AnyServed>();
  expectTypeOf<NonNullable<(typeof servedDevices)['check']>>().parameter(1).toExtend<RowChange<Device>>();
  expectTypeOf<Device['tenantId']>().toEqualTypeOf<string>();
  expectTypeOf<RowInput<typeof devices>>().not.toExtend<{ tenantName?: string }>();
});

it('answers rows of the entity, or those of their fields that a list selects', () => {
  const read = (ctx: Ctx) => get(ctx, servedDevices, '');
  const add = (ctx: Ctx) => create(ctx, servedDevices, { name: '' });
  const edit = (ctx: Ctx) => update(ctx, servedDevices, '', (before) => ({ name: before.name }));
  const names = (ctx: Ctx) => list(ctx, servedDevices, '', { select: ['deviceId', 'name'] });
  expectTypeOf(read).returns.resolves.toEqualTypeOf<Device>();
  expectTypeOf(add).returns.resolves.toEqualTypeOf<Device>();
  expectTypeOf(edit).returns.resolves.toEqualTypeOf<Device>();
  expectTypeOf<Awaited<ReturnType<typeof names>>['value'][number]>().toEqualTypeOf<Pick<Device, 'deviceId' | 'name'>>();
});

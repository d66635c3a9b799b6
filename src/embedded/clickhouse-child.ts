// Runs one ClickHouse server inside this process until it is told to end. Arguments: the path of `ffi-rs`, the
// path of `libchdb.so`, then what the server gets. It is a process of its own because the call below returns only
// when the server ends. Free of type annotations: from a source checkout Node runs this very file as JavaScript.
import { createRequire } from 'node:module';

const [ffiPath = '', libraryPath = '', ...serverArguments] = process.argv.slice(2);
const ffi = createRequire(import.meta.url)(ffiPath);
const argv = ['clickhouse', ...serverArguments];

// ffi-rs calls on the stack of the caller. Libraries that switch stacks fail: ClickHouse measures how deep it is
// from the thread's own stack and refuses every query with TOO_DEEP_RECURSION.
ffi.open({ library: 'chdb', path: libraryPath });
ffi.load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: ffi.DataType.External,
  paramsType: [ffi.DataType.I32, ffi.DataType.StringArray],
  paramsValue: [argv.length, argv],
});

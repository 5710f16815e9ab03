//! Driver functions in use. The functions of both vendors agree, argument by argument.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// An address on the device.
pub(crate) type Address = u64;
/// A handle of the driver: a module, function, stream, event or graph.
pub(crate) type Handle = *mut c_void;
pub(crate) type DeviceNumber = c_int;

super::api::table! {
    struct Calls;
    fn start(c_uint);
    fn version(*mut c_int);
    fn count(*mut c_int);
    fn device(*mut DeviceNumber, c_int);
    fn device_name(*mut c_char, c_int, DeviceNumber);
    fn device_address(*mut c_char, c_int, DeviceNumber);
    fn device_memory(*mut usize, DeviceNumber);
    fn device_attribute(*mut c_int, c_uint, DeviceNumber);
    fn memory(*mut usize, *mut usize);
    fn allocate(*mut Address, usize);
    fn free(Address);
    fn allocate_on_host(*mut *mut c_void, usize, c_uint);
    fn free_on_host(*mut c_void);
    fn address_of_host(*mut Address, *mut c_void, c_uint);
    fn copy_to_device(Address, *const c_void, usize, Handle);
    fn copy_to_host(*mut c_void, Address, usize, Handle);
    fn copy_on_device(Address, Address, usize, Handle);
    fn set_bytes(Address, u8, usize, Handle);
    fn load_module(*mut Handle, *const c_void, c_uint, *mut c_uint, *mut *mut c_void);
    fn unload_module(Handle);
    fn function(*mut Handle, Handle, *const c_char);
    fn global(*mut Address, *mut usize, Handle, *const c_char);
    fn function_attribute(*mut c_int, c_uint, Handle);
    fn resident_blocks(*mut c_int, Handle, c_int, usize);
    fn launch(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void,
        *mut *mut c_void
    );
    fn create_stream(*mut Handle, c_uint);
    fn destroy_stream(Handle);
    fn wait(Handle);
    fn create_event(*mut Handle, c_uint);
    fn destroy_event(Handle);
    fn record_event(Handle, Handle);
    fn elapsed(*mut f32, Handle, Handle);
    fn begin_capture(Handle, c_uint);
    fn end_capture(Handle, *mut Handle);
    fn instantiate_graph(*mut Handle, Handle, u64);
    fn launch_graph(Handle, Handle);
    fn destroy_instance(Handle);
    fn destroy_graph(Handle);
    optional
    fn retain_context(*mut Handle, DeviceNumber);
    fn release_context(DeviceNumber);
    fn use_context(Handle);
    fn use_device(DeviceNumber);
    fn set_function_attribute(Handle, c_uint, c_int);
    fn parameter(Handle, usize, *mut usize, *mut usize);
    fn upload_graph(Handle, Handle);
}

/// Calls a function of a context's driver, and turns its code into a result. The arguments must be
/// what the driver expects.
macro_rules! call {
    ($context:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let context = &*$context;
        let (function, name) = context.driver.calls.$name;
        context.check(function($($argument),*), name)
    }};
}

pub(crate) use call;

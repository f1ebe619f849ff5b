//! DirectX 12, with a compiler that takes our shaders.
//!
//! Windows has two compilers of HLSL. FXC comes with the system; it refuses dynamic indices and barriers that it cannot prove uniform, so
//! that no base compiles. DXC is a library that programs bring along: linked in (feature `static-dxc`), or
//! `dxcompiler.dll` beside the program or in a folder of `PATH`. Without DXC, DirectX 12 is not offered; Vulkan is.

use std::path::{Path, PathBuf};

use wgpu::{Backends, Dx12Compiler};

/// The library.
const LIBRARY: &str = "dxcompiler.dll";
/// Whether it is linked in, by the conditions of wgpu.
const LINKED: bool =
    cfg!(all(windows, feature = "static-dxc", target_env = "msvc", not(target_arch = "aarch64")));

/// The backends to look for adapters with, and the compiler of DirectX 12.
pub fn offered() -> (Backends, Dx12Compiler) {
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let library = find(beside.into_iter().chain(std::env::split_paths(&path)), &|file| file.is_file());
    choose(LINKED, if cfg!(windows) { library } else { None })
}

/// The first of these folders that has the library. Relative folders do not count: anybody may have put a file there.
fn find(folders: impl Iterator<Item = PathBuf>, is_file: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(LIBRARY)).find(|file| is_file(file))
}

/// All backends, or all but DirectX 12 where only FXC could compile for it. A library that cannot be loaded also leaves no adapters of
/// DirectX 12: wgpu takes FXC only where nobody names a compiler.
fn choose(linked: bool, library: Option<PathBuf>) -> (Backends, Dx12Compiler) {
    match library {
        _ if linked => (Backends::PRIMARY, Dx12Compiler::StaticDxc),
        Some(library) => {
            let dxc_path = library.to_string_lossy().into_owned();
            (Backends::PRIMARY, Dx12Compiler::DynamicDxc { dxc_path })
        }
        None => (Backends::PRIMARY - Backends::DX12, Dx12Compiler::Fxc),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directx_is_offered_only_with_the_compiler_that_takes_the_shaders() {
        let library = || Some(PathBuf::from("/program/dxcompiler.dll"));
        for (linked, library, offered) in
            [(false, None, false), (false, library(), true), (true, None, true), (true, library(), true)]
        {
            let (backends, compiler) = choose(linked, library.clone());
            assert_eq!(backends.contains(Backends::DX12), offered, "{linked} {library:?}");
            assert!(backends.contains(Backends::VULKAN | Backends::METAL));
            match compiler {
                Dx12Compiler::StaticDxc => assert!(linked),
                Dx12Compiler::DynamicDxc { dxc_path } => {
                    assert_eq!((linked, Some(PathBuf::from(dxc_path))), (false, library));
                }
                Dx12Compiler::Fxc => assert!(!offered),
                Dx12Compiler::Auto => panic!("it may take FXC"),
            }
        }
    }

    #[test]
    fn the_library_is_sought_beside_the_program_first_and_in_no_relative_folder() {
        let folders = || ["/program", "tools", "/later"].map(PathBuf::from).into_iter();
        assert_eq!(find(folders(), &|_| true), Some("/program/dxcompiler.dll".into()));
        assert_eq!(find(folders(), &|file| file.starts_with("/later")), Some("/later/dxcompiler.dll".into()));
        assert_eq!(find(folders(), &|file| file.starts_with("tools")), None);
    }
}
